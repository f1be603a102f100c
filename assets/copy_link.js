// The Copy link button, and the random name by which this browser's own runs are listed to it again.
// Nothing is sent anywhere: the name is a cookie of this app, read by this app's own server.
const SAID = 2000; // ms for which the button says that it copied

function copyByHand(text) { // where the Clipboard API is missing: an address that is neither https nor localhost
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}

export default function ({ data, parentElement }) {
  if (data.browser && !/(^|; )causeway_browser=/.test(document.cookie)) {
    document.cookie = `causeway_browser=${data.browser}; path=/; SameSite=Strict; max-age=31536000`;
  }
  const button = parentElement.querySelector("button");
  const said = parentElement.querySelector("span");
  button.onclick = async () => {
    let done = false;
    try {
      await navigator.clipboard.writeText(window.location.href);
      done = true;
    } catch {
      done = copyByHand(window.location.href);
    }
    said.textContent = done ? "Copied" : "Copy the address bar";
    setTimeout(() => { said.textContent = "Copy link"; }, SAID);
  };
}
