import AjvCompiler, { type BuildCompilerFromPool } from '@fastify/ajv-compiler';

type Validate = ReturnType<ReturnType<BuildCompilerFromPool>>;

const build = AjvCompiler();
const compiled = new Map<string, Validate>();

/**
 * Compiles every schema when it is first used, and only once per process, however many routes and apps share it.
 * Compiling is most of the cost of creating an app, and a gate uses few of its routes. All apps have the same options,
 * so a schema's text identifies its validator.
 */
export const compileOnce: BuildCompilerFromPool = (externalSchemas, options) => {
  const compile = build(externalSchemas, options);
  // Fastify passes a part of a route with its schema, whatever the library's types say.
  return (part, meta) => {
    const text = JSON.stringify((part as { schema: unknown }).schema);
    const known = compiled.get(text) ?? whenAsked(() => compile(part, meta));
    compiled.set(text, known);
    return known;
  };
};

/** A validator that compiles when Fastify first calls it. Fastify reads the errors from its result. */
function whenAsked(compile: () => Validate): Validate {
  let validate: Validate | undefined;
  const check = (data: unknown) => {
    validate ??= compile();
    return validate(data) === true || { error: validate.errors ?? [] };
  };
  return check as unknown as Validate;
}
