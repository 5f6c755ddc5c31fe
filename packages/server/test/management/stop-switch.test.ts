import { afterEach, beforeEach, expect, test } from 'vitest';
import { pauseAgent } from '../../src/gate/agents/agent-status.ts';
import { getAgent } from '../../src/gate/agents/read-agents.ts';
import { startProject, stopProject } from '../../src/gate/projects/stop-switch.ts';
import { openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';

let t: TestGate;
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
});
afterEach(() => t.close());

const switchEvents = async () =>
  (await t.events(t.projectId, 'project.stopped', 'project.started')).map((event) => event.type);

test('a project is stopped and started, and a repetition changes nothing', async () => {
  const input = { projectId: t.projectId };
  const at = t.clock.now();
  expect(await stopProject(t.gate, t.secret, input)).toMatchObject({ stoppedAt: at });
  const stopped = await t.project();
  t.clock.advance(60);
  expect(await stopProject(t.gate, t.owner.caller, input)).toEqual(stopped);
  expect(await t.project()).toEqual(stopped);

  expect(await startProject(t.gate, t.operator, input)).toMatchObject({ stoppedAt: null });
  const started = await t.project();
  expect(started.revision).toBeGreaterThan(stopped.revision);
  expect(await startProject(t.gate, t.operator, input)).toEqual(started);
  expect(await switchEvents()).toEqual(['project.stopped', 'project.started']);
});

test('starting leaves an individually paused agent paused', async () => {
  const agent = { projectId: t.projectId, agentId: t.agentId };
  await pauseAgent(t.gate, t.secret, agent);
  await stopProject(t.gate, t.secret, { projectId: t.projectId });
  await startProject(t.gate, await t.owner.present(), { projectId: t.projectId });
  expect(await getAgent(t.gate, t.secret, agent)).toMatchObject({ status: 'paused' });
});

test('ten simultaneous stops are recorded once', async () => {
  const stops = Array.from({ length: 10 }, () => stopProject(t.gate, t.secret, { projectId: t.projectId }));
  await Promise.all(stops);
  expect(await switchEvents()).toEqual(['project.stopped']);
});
