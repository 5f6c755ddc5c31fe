#!/usr/bin/env node
// Plain JavaScript on purpose: an older Node must be able to read this far and say what is wrong.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `permitry needs Node 22.18 or newer; this is ${process.version} (${process.execPath}).\n` +
      'Inside the repository, `npm start`, `npm run …` and `npx permitry` use the Node that npm ci installed.\n',
  );
  process.exit(1);
}
// Sources run without a build step; what Node made of them is kept for the next start.
(await import('node:module')).enableCompileCache();
const { bearClosedPipes, runPermitry } = await import('../src/permitry.ts');
bearClosedPipes();
await runPermitry(process.argv);
