// The slope chart as a part of the page: what Python says is drawn, and a chosen document is told to Python.
export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".slope-root");
  if (data && root) drawSlope(root, data, (id) => setTriggerValue("document", id));
}
