#!/bin/sh
# Sees to a browser for the tests: an installed Chromium or Chrome, else Debian's, else playwright's own.
# Usage: browser.sh PYTHON
for name in chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then
        echo "browser: $(command -v "$name")"
        exit 0
    fi
done
if command -v apt-get >/dev/null 2>&1; then
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo -n"
    $as_root apt-get update -q && $as_root apt-get install -y -q chromium && exit 0
fi
"$1" -m playwright install chromium && exit 0
echo "No browser could be installed: the browser tests will be skipped (or fail, where CAUSEWAY_REQUIRE names chromium)."
exit 0
