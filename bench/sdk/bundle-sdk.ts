import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'tsdown';

export type Sdk = typeof import('@permitry/sdk');

const PACKAGE = join(import.meta.dirname, '../../packages/sdk');

/** The SDK as published: one file without anything of Node. */
export async function bundleSdk(workDir: string): Promise<Sdk> {
  const outDir = join(workDir, 'bundle');
  await build({
    config: false,
    cwd: PACKAGE,
    entry: { index: 'src/index.ts' },
    outDir,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    deps: { onlyBundle: false },
    dts: false,
    logLevel: 'warn',
    report: false,
  });
  return import(pathToFileURL(join(outDir, 'index.js')).href) as Promise<Sdk>;
}
