import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTE_ACCESS } from '../../src/http/admission/route-scopes.ts';
import { createMetricsServer } from '../../src/http/well-known/metrics-page.ts';
import { Metrics } from '../../src/ops/metrics/metrics.ts';
import { serviceUnavailable } from '../../src/storage/refusals.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

const METRICS_TOKEN = 'collector-token-0123456789';
let t: TestApp;
let draining = false;
beforeAll(async () => {
  const metrics = new Metrics();
  metrics.counter('permitry_storage_commits_total', 'Commits.', () => 3);
  t = await openTestApp({
    config: { metricsToken: METRICS_TOKEN },
    deps: { metrics, isDraining: () => draining },
  });
});
afterAll(() => t.close());

describe('the health checks', () => {
  it('report the gate alive, and ready until it drains', async () => {
    expect((await t.call('GET', '/healthz')).status).toBe(200);
    expect((await t.call('GET', '/readyz')).body).toEqual({ status: 'ready' });
    draining = true;
    const readyz = await t.call('GET', '/readyz');
    expect([readyz.status, readyz.body.status]).toEqual([503, 'draining']);
    expect((await t.call('GET', '/healthz')).status).toBe(200);
    draining = false;
  });

  it('report the gate not ready when its storage does not answer', async () => {
    t.reads.findNextExpiry = () => Promise.reject(new Error('gone'));
    expect((await t.call('GET', '/readyz')).body).toEqual({ status: 'storage_unavailable' });
    delete t.reads.findNextExpiry;
  });

  it('report the gate not ready when it cannot write, and each refusal logs one line without a stack', async () => {
    const full = await openTestApp({ logLevel: 'info' });
    const storage = full.parts.gate.storage as { transaction: unknown };
    storage.transaction = () => Promise.reject(serviceUnavailable(new Error('disk full')));
    expect((await full.call('GET', '/readyz')).body).toEqual({ status: 'storage_unavailable' });
    const create = { key: full.first.agent_key, body: { action: 'deploy' } };
    expect((await full.call('POST', '/v1/intents', create)).status).toBe(503);
    const lines = full
      .log()
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'error', route: 'POST /v1/intents', code: 'service_unavailable', cause: 'disk full' },
    ]);
    expect(lines.join()).not.toContain('stack');
    await full.close();
  });
});

describe('the public keys', () => {
  it('are published for verifiers, and can be cached for five minutes', async () => {
    const { status, body, headers } = await t.call('GET', '/.well-known/jwks.json');
    expect(status).toBe(200);
    expect(body).toEqual({ keys: t.gate.tokens.signer.publicKeys() });
    expect(headers['cache-control']).toBe('public, max-age=300');
    expect(JSON.stringify(body)).not.toContain('"d"');
  });
});

describe('metrics', () => {
  it('require their own token', async () => {
    expect((await t.call('GET', '/metrics')).status).toBe(401);
    expect((await t.call('GET', '/metrics', { key: t.first.secret_key })).status).toBe(401);
    await t.call('GET', '/v1/intents/int_made_up_label');
    const { status, text } = await t.call('GET', '/metrics', { key: METRICS_TOKEN });
    expect(status).toBe(200);
    expect(text).toContain(
      'permitry_http_requests_total{method="GET",route="/v1/intents/:id",status="401"} 1',
    );
    expect(text).toContain('permitry_http_request_duration_seconds_bucket');
    expect(text).toContain('nodejs_eventloop_lag');
    expect(text).toContain(
      '# TYPE permitry_storage_commits_total counter\npermitry_storage_commits_total 3\n',
    );
    expect(text).not.toContain('made_up_label');
  });

  it('are not found when no token is configured', async () => {
    const other = await openTestApp();
    expect((await other.call('GET', '/metrics', { key: METRICS_TOKEN })).status).toBe(404);
    await other.close();
  });

  it('can be served on a separate port', async () => {
    const server = createMetricsServer(new Metrics());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
    expect(await (await fetch(`${base}/metrics`)).text()).toContain('process_cpu_seconds_total');
    expect((await fetch(`${base}/healthz`)).status).toBe(404);
    server.close();
  });
});

describe('the reference page', () => {
  it('runs no script, loads nothing and cannot be framed', async () => {
    const { headers, text } = await t.call('GET', '/docs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/script-src|unsafe-inline/);
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(text).not.toMatch(/<script|<link|<img|\son\w+=|style="/i);
    expect(text).toContain('<html lang="en">');
    expect(text).toContain('name="viewport"');
  });
});

describe('the OpenAPI document', () => {
  it('describes every route of both surfaces, with its scope and errors', async () => {
    const { body } = await t.call('GET', '/openapi.json');
    expect(body.openapi).toMatch(/^3\.1/);
    const paths = body.paths as Record<string, Record<string, { description: string; responses: object }>>;
    for (const [route, access] of Object.entries(ROUTE_ACCESS)) {
      const [method = '', path = ''] = route.split(' ');
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
      if (!/^\/(api|v1)\//.test(path)) {
        if (!/^\/(console\/|mcp$)/.test(path)) expect(access, route).toBe('public');
        expect(operation, route).toBeUndefined();
        continue;
      }
      if (access === 'public') {
        expect(operation, route).toMatchObject({
          description: expect.stringContaining('no key'),
          security: [],
        });
        expect(operation?.responses, route).not.toHaveProperty('401');
        continue;
      }
      expect(operation?.description, route).toContain(`\`${access}\``);
      expect(Object.keys(operation?.responses ?? {}), route).toEqual(
        expect.arrayContaining(['401', '403', '429', '5XX']),
      );
    }
    expect(body.servers).toEqual([{ url: 'http://localhost:4000' }]);
    expect(body.security).toEqual([{ key: [] }]);
  });

  it('is shown as a page with every operation', async () => {
    const { body } = await t.call('GET', '/openapi.json');
    const { text } = await t.call('GET', '/docs');
    for (const [path, operations] of Object.entries(body.paths as Record<string, object>)) {
      for (const method of Object.keys(operations)) {
        expect(text).toContain(
          `<code class="method ${method}">${method.toUpperCase()}</code> <code>${path}</code>`,
        );
      }
    }
  });

  it('is shown with the content type of a form body and of a token answer', async () => {
    const { text } = await t.call('GET', '/docs');
    const entry = (id: string) => new RegExp(`<details id="${id}">.*?</details>`, 's').exec(text)?.[0];
    expect(entry('introspectPermit')).toMatch(
      /<h3>Body <span class="tag">application\/x-www-form-urlencoded<\/span><\/h3>.*token_type_hint/s,
    );
    expect(entry('readStatusList')).toContain('<span class="tag">application/statuslist+jwt</span>');
    expect(entry('createIntent')).not.toContain('<span class="tag">application/');
  });
});

describe('the request log', () => {
  it('contains no key, no permit and no parameters', async () => {
    const made = await t.call('POST', '/v1/intents', {
      key: t.first.secret_key,
      body: { action: 'a', params: { note: 'do-not-log-me' } },
    });
    const approved = await t.call('POST', `/v1/intents/${made.body.id}/approve`, {
      key: t.first.secret_key,
      body: {},
    });
    const read = await t.call('GET', `/v1/intents/${made.body.id}`, { key: t.first.secret_key });
    const token = (read.body.permit as { token: string }).token;
    expect(token).toMatch(/^eyJ/);
    await t.call('POST', '/v1/permits/validate', {
      key: t.first.verifier_key,
      body: { token, action: 'b', params: {} },
    });
    await t.call('GET', `/v1/nothing?token=${token}&key=${t.first.secret_key}`);
    await t.call('GET', `/v1/intents/${t.first.secret_key}`, { key: t.first.secret_key });
    expect(approved.status).toBe(200);
    const log = t.log();
    expect(log.split('\n').length).toBeGreaterThan(5);
    for (const secret of [
      ...Object.values(t.first).filter((v) => String(v).startsWith('prm_')),
      token,
      'do-not-log-me',
    ]) {
      expect(log).not.toContain(String(secret));
    }
  });

  it('contains the cause of a fault, and the answer does not', async () => {
    t.reads.findIntent = () => Promise.reject(new Error('SQL logic error near "secret_table"'));
    const answer = await t.call('GET', '/v1/intents/int_00000000000000000000000000', {
      key: t.first.secret_key,
    });
    delete t.reads.findIntent;
    expect(answer.status).toBe(500);
    expect(answer.body).toMatchObject({ error: { code: 'internal_error' } });
    expect(answer.text).not.toContain('secret_table');
    expect(t.log()).toContain('secret_table');
  });
});
