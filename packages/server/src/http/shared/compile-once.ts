import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler';

type Compile = ReturnType<BuildCompilerFromPool>;

const build = AjvCompiler();
const compiled = new Map<string, ReturnType<Compile>>();

/**
 * Compiles every schema once in a process, however many routes and apps share it: compiling is most of what it takes
 * to make an app. All apps have the same options, so a schema's text says which validator it has.
 */
export const compileOnce: BuildCompilerFromPool = (externalSchemas, options) => {
  const compile = build(externalSchemas, options);
  return (schema, meta) => {
    const text = JSON.stringify((schema as { schema: unknown }).schema);
    const known = compiled.get(text) ?? compile(schema, meta);
    compiled.set(text, known);
    return known;
  };
};
