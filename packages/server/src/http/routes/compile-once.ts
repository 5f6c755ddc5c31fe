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
  // Fastify hands over a part of a route with its schema, whatever the library's types call it.
  return (part, meta) => {
    const text = JSON.stringify((part as { schema: unknown }).schema);
    const known = compiled.get(text) ?? compile(part, meta);
    compiled.set(text, known);
    return known;
  };
};
