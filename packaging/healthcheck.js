// Exits with 0 while the gate in this container is alive. Plain JavaScript, so that only Node is loaded.
const port = process.env.PERMITRY_PORT ?? '8787';
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(2500) }).catch(
  () => null,
);
process.exit(answer?.status === 200 ? 0 : 1);
