// Shows the interface; asks for a key first where the service wants one.
const form = document.getElementById("key");

async function show(key) {
  const headers = key ? { Authorization: `Bearer ${key}` } : {};
  const answer = await fetch("openapi.json", { headers });
  form.hidden = answer.ok;
  if (!answer.ok) return;
  const page = SwaggerUIBundle({
    spec: await answer.json(),
    dom_id: "#interface",
    deepLinking: true,
    validatorUrl: null,
    onComplete: () => key && page.preauthorizeApiKey("bearer", key),
  });
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  show(new FormData(form).get("key"));
});
show("");
