"""Figures: a trace or a table in, a plotly figure, a graph page or a table out. Pure functions, no screen.

palette        colours and shapes of roles, plotly templates: `colours`, `plotly_template`, `ROLES`
graph_view     what a graph page shows, as values: `GraphView`, `ViewNode`, `ViewEdge`, `Frame`, `LegendEntry`
graph_page     `graph_page(view, *, theme, height, standalone)`: one self-contained HTML page (scripts in assets/)
cara_view      `cara_view(trace, *, agents, max_nodes, selected, step)`: a run as a graph that can be played
neighbourhood  `neighbourhood_view(graph, centers, *, max_nodes, selected)`: what is around these positions
schema_view    `schema_graph(schema)`: types (or classes) and relations as a graph
data           charts of a graph: `degree_histogram`, `type_bars`
cara           charts of a run: `fusion_bars`, `candidate_bars`, `scatter_c_e`, `rank_shift`
explain        why a score is what it is: `why_score`, `why_fused`, `highlight`, `question_segments`
compare        two runs side by side: `where_they_part`, `ranked_table`, `cost_table`, `ranks_chart`
walks          what a run walked, whatever its method: `moves`, `walked_path`
predict        guessing an agent's next node before it is shown: `turns`, `before`, `after`, `tally`
tables         the table twin of each figure: `steps_table`, `candidates_table`, `fused_table`, `cost_rows` ..
replay         `replay_html(trace, theme)`: the run as a single file that opens by double click
captions       a step in plain words: `caption`, `reason`
hops           finding one's way in a trace: `hops`, `hop_of`, `in_order_of_arrival`
words, layout, charts, type_legend   names as people read them, positions, and what charts and legends share
"""
