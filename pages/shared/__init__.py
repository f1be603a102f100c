"""What the pages share: the shell, the state behind the address, messages, exports and panels. No equations here."""
