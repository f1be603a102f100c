"""Causeway's entrance: page set-up and navigation, and nothing else. Run it with `streamlit run app.py`."""

from __future__ import annotations

import streamlit as st

st.set_page_config(page_title="Causeway", layout="wide", initial_sidebar_state="collapsed")
st.navigation(
    [
        st.Page("pages/home.py", title="Home", url_path="home", default=True),
        st.Page("pages/data.py", title="Data", url_path="data"),
        st.Page("pages/cara.py", title="CARA", url_path="cara"),
        st.Page("pages/causal_attention.py", title="Causal attention", url_path="causal_attention"),
        st.Page("pages/sgur.py", title="SGUR", url_path="sgur"),
        st.Page("pages/kerag.py", title="KERAG", url_path="kerag"),
        st.Page("pages/learn.py", title="Learn", url_path="learn"),
    ],
    position="top",
).run()
