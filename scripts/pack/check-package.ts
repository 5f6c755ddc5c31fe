import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { preProcessFile } from 'typescript';

/** Files that do not belong in a package: tests, their data, sources, and maps to them. */
const UNWANTED =
  /(^|\/)(tests?|test-data|fixtures?|conformance)\/|\.test\.|\.map$|(?<!\.d)\.ts$|conformance\.|tsconfig/;
const NEEDED = ['package.json', 'README.md', 'LICENSE'];

/** The problems of a package as installed, in sentences. `files`: the files in the package's tarball. */
export async function checkPackage(folder: string, files: readonly string[]): Promise<string[]> {
  const problems = [
    ...NEEDED.filter((name) => !files.includes(name)).map((name) => `${name} is missing`),
    ...files.filter((file) => UNWANTED.test(file)).map((file) => `${file} does not belong in a package`),
  ];
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const { name, dependencies = {}, optionalDependencies = {}, peerDependencies = {} } = manifest;
  const known = new Set([
    name,
    ...Object.keys({
      ...(dependencies as object),
      ...(optionalDependencies as object),
      ...(peerDependencies as object),
    }),
  ]);
  for (const file of files.filter(
    (each) => /^dist\/.*\.js$/.test(each) && !each.startsWith('dist/assets/'),
  )) {
    const text = await readFile(join(folder, file), 'utf8');
    if (text.includes('sourceMappingURL')) problems.push(`${file} refers to a source map`);
    for (const wanted of packagesOf(importsOf(text))) {
      if (!known.has(wanted)) problems.push(`${file} imports ${wanted}, which is not a dependency`);
    }
    for (const wanted of [...importsOf(text), ...threadsOf(text)].filter((name) => name.startsWith('.'))) {
      if (!files.includes(join(dirname(file), wanted)))
        problems.push(`${file} needs ${wanted}, which is missing`);
    }
  }
  const { messages, pkg } = await publint({ pkgDir: folder, strict: true });
  return [
    ...problems,
    ...messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code),
  ];
}

function importsOf(text: string): string[] {
  return preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
}

/** Files that run on a separate thread, or that the code reads. */
function threadsOf(text: string): string[] {
  return [...text.matchAll(/new URL\(['"](\.[^'"]*)['"], import\.meta\.url\)/g)].map(
    ([, file]) => file ?? '',
  );
}

/** Leaves out Node's own modules and files of the package itself. */
function packagesOf(specifiers: readonly string[]): string[] {
  return specifiers
    .filter((name) => !/^[.#/]/.test(name) && !isBuiltin(name))
    .map((name) =>
      name
        .split('/')
        .slice(0, name.startsWith('@') ? 2 : 1)
        .join('/'),
    );
}
