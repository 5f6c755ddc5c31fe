import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler';

type Validate = ReturnType<ReturnType<BuildCompilerFromPool>>;

const build = AjvCompiler();
const compiled = new Map<string, Validate>();

/**
 * Compiles every schema once in a process, however many routes and apps share it, when something is first held against
 * it: compiling is most of what it takes to make an app, and a gate is asked on few of its routes. All apps have the same
 * options, so a schema's text says which validator it has.
 */
export const compileOnce: BuildCompilerFromPool = (externalSchemas, options) => {
  const compile = build(externalSchemas, options);
  // Fastify hands over a part of a route with its schema, whatever the library's types call it.
  return (part, meta) => {
    const text = JSON.stringify((part as { schema: unknown }).schema);
    const known = compiled.get(text) ?? whenAsked(() => compile(part, meta));
    compiled.set(text, known);
    return known;
  };
};

/** Fastify calls it, and takes the errors from what it answers. */
function whenAsked(compile: () => Validate): Validate {
  let validate: Validate | undefined;
  const check = (data: unknown) => {
    validate ??= compile();
    return validate(data) === true || { error: validate.errors ?? [] };
  };
  return check as unknown as Validate;
}
