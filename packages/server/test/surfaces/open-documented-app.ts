/** An app under test that also validates every answer against the OpenAPI document, including its status. */
import fastifyPlugin from 'fastify-plugin';
import { openTestApp, type TestApp, type TestAppOptions } from '../http/open-test-app.ts';

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
}

export async function openDocumentedApp(options: TestAppOptions = {}): Promise<TestApp> {
  const given = new Map<string, { method: string; path: string; status: number }>();
  const listening = fastifyPlugin((app, _options, done: () => void) => {
    app.addHook('onResponse', async (request, reply) => {
      const { url, schema } = request.routeOptions;
      if (url === undefined || schema?.hide === true) return;
      const answer = {
        method: request.method.toLowerCase(),
        path: url.replace(/:(\w+)/g, '{$1}'),
        status: reply.statusCode,
      };
      given.set(JSON.stringify(answer), answer);
    });
    done();
  });
  const extensions = [listening, ...(options.deps?.extensions ?? [])];
  const t = await openTestApp({ logLevel: 'silent', ...options, deps: { ...options.deps, extensions } });
  return {
    ...t,
    async close() {
      const { paths } = (await t.app.inject('/openapi.json')).json<OpenApi>();
      await t.close();
      const unannounced = [...given.values()].filter(({ method, path, status }) => {
        const responses = paths[path]?.[method]?.responses ?? {};
        return !(status in responses) && !(status >= 500 && '5XX' in responses);
      });
      if (unannounced.length > 0) {
        throw new Error(`answers that OpenAPI does not announce: ${JSON.stringify(unannounced)}`);
      }
    },
  };
}
