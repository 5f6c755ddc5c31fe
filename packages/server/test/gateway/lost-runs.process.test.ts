/** A gate stops while a tool runs: the outcome is unknown, and the tool is not run again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { putPolicy } from '../../src/gate/policy-management/put-policy.ts';
import { callTool } from '../../src/gate/tools/call-tool.ts';
import type { ConnectorRequest } from '../../src/gate/tools/connector-request.ts';
import { resumeRequest } from '../../src/gate/tools/resume-request.ts';
import { sweepLostRuns } from '../../src/gate/tools/sweep-lost-runs.ts';
import { createLogger } from '../../src/http/log/logger.ts';
import { startServer } from '../../src/main.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { type Gates, openGates } from '../gates/open-gates.ts';
import { MAIL } from './open-gateway.ts';
import { PendingTools } from './pending-tools.ts';

const cleanUp: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const step of cleanUp.splice(0).reverse()) await step();
});

describe('a gate that is killed while a tool runs', () => {
  async function dieWhileRunning() {
    const dataDir = mkdtempSync(join(tmpdir(), 'permitry-lost-'));
    cleanUp.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const script = join(import.meta.dirname, 'die-while-running.ts');
    const child = spawn(process.execPath, [script, dataDir], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    child.kill('SIGKILL');
    await ended;
    const said = JSON.parse(line) as { first: FirstCredentials; kind: string; request: ConnectorRequest };
    return { dataDir, ...said };
  }

  it('reports an unknown outcome at its next start, and does not run the tool again', async () => {
    const { dataDir, first, kind, request } = await dieWhileRunning();
    expect(kind).toBe('executing');
    const config = readConfig({ PERMITRY_DATA: dataDir, PERMITRY_PORT: '0' });
    const server = await startServer(config, { logger: createLogger('silent') });
    cleanUp.push(() => server.close());
    const call = async (method: string, path: string, body?: object, headers: object = {}) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${first.secret_key}`,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return (await response.json()) as Record<string, unknown>;
    };
    const asAgent = { authorization: `Bearer ${first.agent_key}` };
    const back = { connector_request_id: request.id };
    const answer = await call('POST', '/api/mcp-gateway', back, asAgent);
    expect(answer).toMatchObject({ status: 'unknown', intent_id: request.intentId, result: null });
    // The outcome stays unknown when the call is repeated with its key, resumed, or reported by the agent itself.
    const again = await call(
      'POST',
      '/api/mcp-gateway',
      { tool: 'mail.send', arguments: MAIL },
      { ...asAgent, 'idempotency-key': 'k1' },
    );
    expect(again).toEqual(answer);
    expect(await call('POST', '/api/mcp-gateway', back, asAgent)).toEqual(answer);
    const path = `/v1/projects/${first.project_id}`;
    const { data } = await call('GET', `${path}/mock-connectors/mail`);
    expect(data).toMatchObject([{ intent_id: request.intentId }]);
    expect(await call('GET', `/v1/intents/${request.intentId}`)).toMatchObject({ outcome: 'unknown' });
    const audit = await call('GET', `${path}/audit?type=outcome.reported`);
    expect(audit.data).toMatchObject([
      { actor: { type: 'system', id: 'gateway' }, data: { outcome: 'unknown' }, intent_id: request.intentId },
    ]);
    expect(await call('GET', `${path}/audit/verify`)).toMatchObject({ valid: true });
  });
});

describe('a server that stops while a tool runs', () => {
  it('waits for the tool a while, and answers the requester', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'permitry-stops-'));
    cleanUp.push(() => rmSync(dataDir, { recursive: true, force: true }));
    const tools = new PendingTools();
    let first: FirstCredentials | undefined;
    const config = readConfig({
      PERMITRY_DATA: dataDir,
      PERMITRY_PORT: '0',
      PERMITRY_DRAIN_DELAY_SECONDS: '0',
    });
    const server = await startServer(config, {
      logger: createLogger('silent'),
      async prepare(gate) {
        first = await initialiseGate(gate, {
          mode: 'test',
          projectName: 'First',
          ownerEmail: 'o@example.org',
        });
        const rules = [{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }];
        const document = { name: 'gateway', default: { approvers: ['role:approver'] }, rules };
        await putPolicy(gate, OPERATOR, { projectId: first.project_id, document });
        Object.assign(gate.tools, { connectors: tools });
      },
    });
    cleanUp.push(() => server.close());
    const asking = fetch(`${server.url}/api/mcp-gateway`, {
      method: 'POST',
      headers: { authorization: `Bearer ${first?.agent_key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ tool: 'lab.work', arguments: { n: 1 } }),
    });
    await tools.begun;
    const closed = server.close();
    await expect
      .poll(() =>
        fetch(server.url).then(
          () => 'answers',
          () => 'gone',
        ),
      )
      .toBe('gone');
    tools.succeed({ n: 9 });
    const answer = await asking;
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { status: 'executed', result: { n: 9 } },
    ]);
    await closed;
  });
});

describe('two gates on one database', () => {
  async function openTwo() {
    const tools = new PendingTools();
    const t: Gates = await openGates(2);
    cleanUp.push(() => t.close());
    const rules = [{ name: 'work is free', match: { action: 'lab.*' }, effect: 'allow' }];
    const document = { name: 'gateway', default: { approvers: ['role:approver'] }, rules };
    await putPolicy(t.gate, t.owner.caller, { projectId: t.projectId, document });
    const [one, two] = t.gates.map(({ gate }) => ({ ...gate, tools: { ...gate.tools, connectors: tools } }));
    if (!one || !two) throw new Error('there are two gates');
    const caller = await t.callerOf(t.first.agent_key);
    return { t, tools, one, two, caller };
  }
  const work = { tool: 'lab.work', arguments: { n: 1 } };

  it('return the result of a run at the other gate', async () => {
    const { tools, one, two, caller } = await openTwo();
    const { request } = await callTool(one, caller, { ...work, totalWaitMs: 20 });
    const waiting = resumeRequest(two, caller, { requestId: request.id });
    tools.succeed({ n: 7 });
    expect(await waiting).toMatchObject({ kind: 'executed', result: { n: 7 } });
    expect(tools.runs).toHaveLength(1);
  });

  it('run a call only once when callers come back to both at the same time', async () => {
    const { t, tools, one, two, caller } = await openTwo();
    await putPolicy(t.gate, t.owner.caller, {
      projectId: t.projectId,
      document: { name: 'ask', default: { approvers: ['role:approver'] }, rules: [] },
    });
    const { request, intent } = await callTool(one, await t.callerOf(t.first.agent_key), work);
    const approved = await t.replicaIn(0).call('POST', `/v1/intents/${intent.intent.id}/approve`, {
      key: t.owner.token,
      body: {},
    });
    expect(approved.status).toBe(200);
    tools.succeed({ n: 8 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        resumeRequest(n % 2 === 0 ? one : two, caller, { requestId: request.id }),
      ),
    );
    for (const answer of answers) expect(answer).toMatchObject({ kind: 'executed', result: { n: 8 } });
    expect(tools.runs).toHaveLength(1);
  });

  it('consider a run of the other gate lost when its lease has expired, and not before', async () => {
    const { t, tools, one, two, caller } = await openTwo();
    const { request } = await callTool(one, caller, { ...work, totalWaitMs: 20 });
    expect(await sweepLostRuns(two)).toBe(0);
    t.clock.advance(31);
    const swept = await Promise.all([sweepLostRuns(two), sweepLostRuns(one)]);
    expect(Math.max(...swept)).toBe(1);
    expect((await resumeRequest(two, caller, { requestId: request.id })).kind).toBe('unknown');
    // The other gate was only slow: its result comes too late.
    tools.end();
    await t.gates[0]?.gate.tools.runs.close(2000);
    expect((await resumeRequest(two, caller, { requestId: request.id })).kind).toBe('unknown');
    expect(await t.events(t.projectId, 'outcome.reported')).toHaveLength(1);
    expect(tools.runs).toHaveLength(1);
  });
});
