import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'tsdown';
import { bundleName } from './published-manifest.ts';
import { type PublishedFolder, ROOT, readManifest } from './published-packages.ts';
import { writeThirdPartyNotices } from './third-party-notices.ts';

/**
 * Bundles a package into `<folder>/<package>/dist`, one file per entry, as JavaScript and declarations. The bundle
 * includes everything that is not a dependency, and lists the licences of other authors' code. Shared code is in
 * separate files, so that an error thrown by one entry is `instanceof` the class that another exports.
 */
export async function bundleEntries(folder: PublishedFolder, into: string): Promise<void> {
  const home = join(ROOT, 'packages', folder);
  const manifest = readManifest(folder);
  const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  const entries = Object.entries(manifest.exports ?? {}).filter(([, target]) => target.endsWith('.ts'));
  const bundled = new Set<string>();
  const stage = join(into, folder);
  await mkdir(stage, { recursive: true });
  const project = join(stage, 'tsconfig.json');
  const include = [join(home, 'src'), join(ROOT, 'packages/protocol/src')];
  await writeFile(project, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), include, exclude: [] }));
  await build({
    config: false,
    cwd: home,
    entry: Object.fromEntries(entries.map(([entry, target]) => [bundleName(entry), target])),
    outDir: join(stage, 'dist'),
    format: 'esm',
    // Neither Node's nor a browser's, because the bundle runs in both, in web workers and at the edge.
    platform: 'neutral',
    target: 'es2022',
    // Eager, because otherwise the declarations lose types from another package of the workspace.
    dts: { eager: true, newContext: true, tsconfig: project },
    deps: { neverBundle: external.map((name) => new RegExp(`^${name}(/|$)`)), onlyBundle: false },
    logLevel: 'warn',
    checks: { pluginTimings: false },
    report: false,
    plugins: [
      {
        name: 'permitry-what-is-inside',
        generateBundle(_options, output) {
          for (const chunk of Object.values(output)) {
            if (chunk.type === 'chunk') for (const id of chunk.moduleIds) bundled.add(id);
          }
        },
      },
    ],
  });
  await rm(project);
  await writeThirdPartyNotices([...bundled], join(stage, 'THIRD-PARTY-NOTICES.md'));
}
