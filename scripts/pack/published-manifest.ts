import type { Manifest } from './published-packages.ts';

/**
 * The published package.json, derived from the workspace's. Replaces sources with their results, and drops what only
 * the workspace needs.
 *
 * @example './src/schemas/index.ts' becomes { types: './dist/schemas/index.d.ts', default: './dist/schemas/index.js' }
 */
export function publishedManifest(manifest: Manifest, { isBundled }: { isBundled: boolean }): object {
  const { name, version, description, license, type, engines, bin, exports, imports } = manifest;
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = manifest;
  return {
    name,
    version,
    description,
    license,
    type,
    engines,
    ...(bin && { bin }),
    ...(exports && { exports: publishedExports(exports, isBundled) }),
    // A bundle already includes the import that runs everywhere.
    ...(imports && !isBundled && { imports: mapValues(imports, (of) => mapValues(of, toJavaScript)) }),
    files: ['bin', 'dist', 'THIRD-PARTY-NOTICES.md'],
    sideEffects: bin !== undefined,
    ...(dependencies && { dependencies }),
    ...(optionalDependencies && { optionalDependencies }),
    ...(peerDependencies && { peerDependencies }),
    ...(peerDependenciesMeta && { peerDependenciesMeta }),
    publishConfig: { access: 'public' },
  };
}

/** The file name of an entry in a bundle: `.` is `index`, `./ai` is `ai`. */
export function bundleName(entry: string): string {
  return entry === '.' ? 'index' : entry.slice(2);
}

function publishedExports(exports: Record<string, string>, isBundled: boolean): object {
  return Object.fromEntries(
    Object.entries(exports).map(([entry, target]) => {
      if (!target.endsWith('.ts')) return [entry, target];
      const file = isBundled ? `./dist/${bundleName(entry)}.js` : toJavaScript(target);
      return [entry, { types: file.replace(/\.js$/, '.d.ts'), default: file }];
    }),
  );
}

function toJavaScript(source: string): string {
  return source.replace(/^\.\/src\//, './dist/').replace(/\.ts$/, '.js');
}

function mapValues<T, R>(of: Record<string, T>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));
}
