/** The clipboard, with a sign on the button that it worked. */

/** Copies a text. The button says so for two seconds. */
export async function copied(button, text) {
  await navigator.clipboard.writeText(text);
  button.dataset.label ??= button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = button.dataset.label; }, 2000);
}
