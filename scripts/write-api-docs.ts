/**
 * Writes docs/api from the doc comments of the SDK's and the protocol's exports. With `--check` it only says whether
 * the folder is up to date. It fails for an export of the SDK without a doc comment.
 */
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  Application,
  DeclarationReflection,
  LogLevel,
  type ProjectReflection,
  ReflectionKind,
} from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { ROOT, readManifest } from './pack/published-packages.ts';

const FOLDER = join(ROOT, 'docs', 'api');
/** The kinds of exports. Members of types may rely on their names. */
const DOCUMENTED =
  ReflectionKind.ClassOrInterface |
  ReflectionKind.TypeAlias |
  ReflectionKind.Function |
  ReflectionKind.Variable |
  ReflectionKind.Method;

/** Import names by source: `@permitry/sdk/src/index.ts` is `@permitry/sdk`. */
const ENTRIES = new Map(
  (['sdk', 'protocol'] as const).flatMap((folder) => {
    const { name, exports = {} } = readManifest(folder);
    return Object.entries(exports).map(([entry, source]) => [name + source.slice(1), name + entry.slice(1)]);
  }),
);
// docs/openapi.json describes it.
ENTRIES.delete('@permitry/protocol/src/schemas/index.ts');
// Only the command line imports this entry.
ENTRIES.delete('@permitry/sdk/src/protect/steps.ts');

const MARKDOWN: Partial<PluginOptions> = {
  outputFileStrategy: 'modules',
  excludeScopesInPaths: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  hideBreadcrumbs: true,
  hidePageHeader: true,
};

/** Returns the exports without a doc comment. */
async function writeTo(out: string): Promise<string[]> {
  const app = await Application.bootstrapWithPlugins({
    name: 'What programs import',
    plugin: ['typedoc-plugin-markdown'],
    tsconfig: join(ROOT, 'tsconfig.json'),
    entryPoints: [...ENTRIES.keys()].map((source) => join(ROOT, source.replace('@permitry/', 'packages/'))),
    out,
    readme: 'none',
    logLevel: LogLevel.Error,
    // `npm run check:types` checks the types.
    skipErrorChecking: true,
    excludeExternals: true,
    excludePrivate: true,
    excludeInternal: true,
    // Lines change too often to be in the documents.
    disableSources: true,
    hideGenerator: true,
    ...MARKDOWN,
  });
  const project = await app.convert();
  if (!project) throw new Error('TypeDoc cannot read the sources');
  nameModules(project);
  await app.generateOutputs(project);
  if (app.logger.hasErrors()) throw new Error('TypeDoc cannot write the reference');
  return undocumented(project);
}

/** Names modules by their import names, not by their paths. */
function nameModules(project: ProjectReflection): void {
  for (const module of project.children ?? []) {
    const { packageName, packagePath } = project.getSymbolIdFromReflection(module) ?? {};
    module.name = ENTRIES.get(`${packageName}/${packagePath}`) ?? module.name;
  }
}

/** Exports of the SDK without a doc comment. */
function undocumented(project: ProjectReflection): string[] {
  return (
    project
      .getReflectionsByKind(DOCUMENTED)
      .filter((each): each is DeclarationReflection => each instanceof DeclarationReflection)
      // A framework's own documentation describes its types.
      .filter((each) => !each.kindOf(ReflectionKind.Method) || each.parent?.kindOf(ReflectionKind.Class))
      .filter(
        (each) => !each.hasComment() && !each.getAllSignatures().some((signature) => signature.hasComment()),
      )
      .map((each) => each.getFullName())
      .filter((name) => name.startsWith('@permitry/sdk'))
  );
}

/** By path in the folder. */
function readFiles(folder: string): Map<string, string> {
  const names = globSync('**/*.md', { cwd: folder }).sort();
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

const made = mkdtempSync(join(tmpdir(), 'permitry-api-docs-'));
try {
  for (const name of await writeTo(made)) {
    console.error(`${name} has no doc comment`);
    process.exitCode = 1;
  }
  if (!process.argv.includes('--check')) {
    rmSync(FOLDER, { recursive: true, force: true });
    cpSync(made, FOLDER, { recursive: true });
  } else if (!isDeepStrictEqual(readFiles(made), readFiles(FOLDER))) {
    console.error('docs/api does not match the sources. Run: npm run api-docs');
    process.exitCode = 1;
  }
} finally {
  rmSync(made, { recursive: true });
}
