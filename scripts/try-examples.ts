/**
 * Tries the examples as their READMEs say, each in an empty folder with the packed packages: `npm run examples`, or
 * `npm run examples -- NAME…`.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from './pack/published-packages.ts';
import { readFlags, refuse } from './read-flags.ts';

const { values, positionals } = readFlags({
  options: { help: { type: 'boolean', short: 'h' }, verbose: { type: 'boolean' } },
  allowPositionals: true,
});
const EXAMPLES = globSync('*/README.md', { cwd: join(ROOT, 'examples') })
  .map(dirname)
  .sort();
const unknown = positionals.find((name) => !EXAMPLES.includes(name));

if (values.help) {
  console.log(`Usage: npm run examples -- [--verbose] [NAME...]

Runs the commands of each example's README in an empty folder, with packed packages
and a gate of its own. NAME: one of ${EXAMPLES.join(', ')}.`);
} else if (unknown !== undefined) {
  refuse(`there is no example ${unknown}. Examples: ${EXAMPLES.join(', ')}`);
} else {
  await tryAll(positionals.length > 0 ? positionals : EXAMPLES);
}

async function tryAll(names: readonly string[]): Promise<void> {
  // These modules load compilers, which --help does not need.
  const { tryExample } = await import('./examples/try-example.ts');
  const { installPackages } = await import('./pack/install-packages.ts');
  const gateFolder = mkdtempSync(join(tmpdir(), 'permitry-examples-gate-'));
  try {
    await installPackages(gateFolder, ['permitry']);
    for (const name of names) {
      const { ok, seconds, said } = await tryExample(name, gateFolder).catch((error: Error) => ({
        ok: false,
        seconds: 0,
        said: `${error.message}\n`,
      }));
      console.log(`${ok ? 'passed' : 'FAILED'}  ${name.padEnd(24)} ${seconds.toFixed(1).padStart(6)} s`);
      if (!ok || values.verbose) console.log(said.replace(/^/gm, '    '));
      if (!ok) process.exitCode = 1;
    }
  } finally {
    rmSync(gateFolder, { recursive: true, force: true });
  }
}
