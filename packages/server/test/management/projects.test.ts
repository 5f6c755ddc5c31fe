import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { getProject, listProjects } from '../../src/gate/projects/read-project.ts';
import { initialiseGate } from '../../src/people/initialise-gate.ts';
import {
  type EmptyTestGate,
  OPERATOR,
  openEmptyTestGate,
  openTestGate,
  type TestGate,
} from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

describe('an empty gate', () => {
  let t: EmptyTestGate;
  beforeEach(async () => {
    t = await openEmptyTestGate();
  });
  afterEach(() => t.close());

  const first = { mode: 'live', projectName: ' Refunds ', ownerEmail: 'Ann@Example.org' } as const;

  test('is initialised with a project, its owner, an agent and a key of each kind', async () => {
    const made = await initialiseGate(t.gate, first);
    expect(made).toMatchObject({ mode: 'live', owner_email: 'ann@example.org' });
    expect(made.secret_key).toMatch(/^prm_secret_live_/);
    expect(made.agent_key).toMatch(/^prm_agent_live_/);
    expect(made.verifier_key).toMatch(/^prm_verify_live_/);
    expect(await t.callerOf(made.secret_key)).toMatchObject({
      kind: 'secret',
      projectId: made.project_id,
      owner: { email: 'ann@example.org', role: 'owner' },
    });
    expect(await t.callerOf(made.agent_key)).toMatchObject({
      kind: 'agent',
      agent: { id: made.agent_id, name: 'first-agent', status: 'active' },
    });
    expect(await t.callerOf(made.verifier_key)).toMatchObject({ kind: 'verify' });
    expect(await listProjects(t.gate, OPERATOR)).toMatchObject([
      { id: made.project_id, name: 'Refunds', mode: 'live' },
    ]);
    const events = await t.events(made.project_id);
    expect(events.map((event) => event.type)).toEqual([
      'project.created',
      'agent.registered',
      'key.created',
      'key.created',
      'key.created',
    ]);
    for (const key of [made.secret_key, made.agent_key, made.verifier_key])
      expect(JSON.stringify(events)).not.toContain(key);
  });

  test('is initialised once, even when five attempts run at once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => initialiseGate(t.gate, first)));
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(Array(4).fill('conflict'));
    expect(await listProjects(t.gate, OPERATOR)).toHaveLength(1);
    const again = { ...first, projectName: 'Another' };
    expect(await refusalOf(initialiseGate(t.gate, again))).toMatchObject({ code: 'conflict' });
  });

  test('has its keys saved before it is initialised, and stays empty when they cannot be saved', async () => {
    const failed = initialiseGate(t.gate, first, OPERATOR, () => {
      throw new Error('no room');
    });
    await expect(failed).rejects.toThrow('no room');
    expect(await listProjects(t.gate, OPERATOR)).toEqual([]);
    const kept: unknown[] = [];
    const made = await initialiseGate(t.gate, first, OPERATOR, (credentials) => kept.push(credentials));
    expect(kept).toEqual([made]);
  });

  test('stays empty when the input is wrong', async () => {
    const refusal = await refusalOf(initialiseGate(t.gate, { ...first, projectName: '', ownerEmail: 'ann' }));
    expect(refusal).toMatchObject({
      code: 'invalid_fields',
      details: { fields: [{ path: '/name' }, { path: '/owner' }] },
    });
    expect(await listProjects(t.gate, OPERATOR)).toEqual([]);
  });
});

describe('a project', () => {
  let t: TestGate;
  beforeEach(async () => {
    t = await openTestGate();
  });
  afterEach(() => t.close());

  const other = { name: 'Other', mode: 'live', ownerEmail: 'bob@example.org' } as const;

  test('is created by the operator, with an owner and a default policy', async () => {
    const { project, owner } = await createProject(t.gate, OPERATOR, other);
    expect(project).toMatchObject({ name: 'Other', mode: 'live', stoppedAt: null });
    expect(await getProject(t.gate, OPERATOR, { projectId: project.id })).toMatchObject({ name: 'Other' });
    const settings = await t.gate.projectSettings.current(project.id);
    expect(settings.people.approversNamed('role:approver')).toEqual(new Set([owner.id]));
    expect(await t.gate.storage.read.findPolicy(project.id)).toMatchObject({
      version: 1,
      hash: settings.policy.hash,
    });
    const [event, ...more] = await t.events(project.id);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      type: 'project.created',
      actor: { type: 'operator' },
      data: { name: 'Other', mode: 'live', owner: 'bob@example.org', policy_hash: settings.policy.hash },
    });
    expect(event?.commitments).toHaveProperty('/data/owner');
  });

  test('cannot be created by anyone else', async () => {
    for (const caller of [t.secret, t.agent, t.verifier, t.owner.caller])
      expect(await refusalOf(createProject(t.gate, caller, other))).toMatchObject({
        code: 'forbidden',
        details: { required: 'operator' },
      });
    expect(await listProjects(t.gate, OPERATOR)).toHaveLength(1);
  });

  test('has a unique name', async () => {
    await createProject(t.gate, OPERATOR, other);
    expect(await refusalOf(createProject(t.gate, OPERATOR, { ...other, name: 'OTHER' }))).toMatchObject({
      code: 'conflict',
    });
    expect(await listProjects(t.gate, OPERATOR)).toHaveLength(2);
  });

  test('is visible to its own people and to no others', async () => {
    const { project } = await createProject(t.gate, OPERATOR, other);
    for (const caller of [t.secret, t.agent, t.verifier, t.owner.caller]) {
      expect((await listProjects(t.gate, caller)).map(({ id }) => id)).toEqual([t.projectId]);
      expect(await getProject(t.gate, caller, { projectId: t.projectId })).toMatchObject({ id: t.projectId });
      for (const projectId of [project.id, 'prj_unknown'])
        expect(await refusalOf(getProject(t.gate, caller, { projectId }))).toMatchObject({
          code: 'project_not_found',
        });
    }
    expect((await listProjects(t.gate, OPERATOR)).map(({ id }) => id)).toEqual([project.id, t.projectId]);
    expect(await refusalOf(getProject(t.gate, OPERATOR, { projectId: 'prj_unknown' }))).toMatchObject({
      code: 'project_not_found',
    });
  });
});
