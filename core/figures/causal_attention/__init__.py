"""Pictures of one causal-attention ranking: a trace in, values and pages out. Pure functions, no screen.

ranking        what became of each document, in numbers and words: `ranking_of`, `headline`, `sentence`
slope          the slope chart as values for assets/slope.js: `slope_data`
document_view  one document opened: its text and keywords by A and B: `document_view`, `document_html`
why            the score of one document, equation by equation (CAR-3 to CAR-5): `why_rank`
tau_curve      a document's place at every tau: `place_by_tau`
predict        guessing the best document before the rankings are shown: `game_of`, `verdict`
tables         the table twins: `ranking_table`, `words_table`, `query_table`
replay         `rerank_html(trace, ..)`: the ranking as a single file that opens by double click
"""
