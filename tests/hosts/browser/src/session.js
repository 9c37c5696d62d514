const place = document.getElementById("session");

// Asked once: each request counts as use of the session, so asking again and again would keep it alive.
async function countDown() {
  const { authenticated, expiresAt } = await (await fetch("/auth/session")).json();
  const end = authenticated ? new Date(expiresAt) : new Date();
  const show = () => {
    const minutes = Math.floor((end - Date.now()) / 60_000);
    const rest = `Session ends in ${Math.floor(minutes / 60)} h ${minutes % 60} min.`;
    place.textContent = minutes >= 0 ? rest : "Your session has ended.";
  };
  show();
  setInterval(show, 10_000);
}

if (place) countDown();
