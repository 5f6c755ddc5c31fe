import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A parameter that represents the gate. Example: `PeopleDeps<'issuer'>` of a function `signIn` has six members. */
export interface PartsTaken {
  file: string;
  type: string;
  members: number;
}

/**
 * Only the part of the standard library that these types need, because reading all of it takes longer than everything
 * else.
 */
const LIB = 'lib.d.ts';
const LIB_TEXT = `
  interface Array<T> {} interface ReadonlyArray<T> {} interface Promise<T> {} interface String {} interface Number {}
  interface Boolean {} interface Object {} interface RegExp {} interface IArguments {}
  interface Function {} interface CallableFunction {} interface NewableFunction {}
  type Pick<T, K extends keyof T> = { [P in K]: T[P] };
  type Omit<T, K extends keyof any> = { [P in Exclude<keyof T, K>]: T[P] };
  type Exclude<T, U> = T extends U ? never : T;
  type Readonly<T> = { readonly [P in keyof T]: T[P] };
  type Record<K extends keyof any, T> = { [P in K]: T };`;

/** How many parts of the gate each function of the files takes, in a parameter called `gate` or of a type `…Deps`. */
export function partsTaken(root: string, files: readonly string[]): PartsTaken[] {
  const program = ts.createProgram(
    [LIB, ...files],
    {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      allowImportingTsExtensions: true,
      noEmit: true,
      noLib: true,
      noResolve: true,
      strict: true,
      types: [],
    },
    hostOf(root, new Set(files)),
  );
  const checker = program.getTypeChecker();
  return files.flatMap((file) => {
    const source = program.getSourceFile(file);
    return parametersIn(source).map((type) => ({
      file,
      type: type.getText(source).replace(/\s+/g, ' '),
      members: checker.getTypeFromTypeNode(type).getProperties().length,
    }));
  });
}

function parametersIn(source: ts.SourceFile | undefined): ts.TypeNode[] {
  const found: ts.TypeNode[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isParameter(node) && node.type) {
      if (node.name.getText(source) === 'gate' || /Deps\b/.test(node.type.getText(source))) {
        found.push(node.type);
      }
    }
    ts.forEachChild(node, visit);
  };
  if (source) visit(source);
  return found;
}

function hostOf(root: string, files: ReadonlySet<string>): ts.CompilerHost {
  const read = (name: string): string => (name === LIB ? LIB_TEXT : readFileSync(join(root, name), 'utf8'));
  return {
    getSourceFile: (name) =>
      ts.createSourceFile(name, read(name), {
        languageVersion: ts.ScriptTarget.ESNext,
        jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
      }),
    fileExists: (name) => files.has(name),
    readFile: read,
    writeFile: () => {},
    getDefaultLibFileName: () => LIB,
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
  };
}
