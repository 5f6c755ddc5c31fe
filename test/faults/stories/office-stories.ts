/**
 * Management while intents are created and decided: policy, agents, keys, people, and the emergency stop of another
 * project.
 */
import { policyOf } from '../gate/cast.ts';
import type { Answer } from '../gate/client.ts';
import type { DeedKind } from './chronicle.ts';
import type { Storyteller } from './storyteller.ts';

export const OFFICE_STORIES: readonly ((t: Storyteller) => Promise<void>)[] = [
  async function anotherPolicy(t) {
    const version = t.newName();
    const ask = {
      method: 'PUT' as const,
      path: t.projectPath('policies'),
      key: t.cast.secretKey,
      body: policyOf(version),
    };
    await t.tell('policy', version, ask);
  },
  async function anAgentsLife(t) {
    const name = t.newName();
    const made = await manage(t, 'register', name, 'agents', { name, labels: { story: name } }, true);
    const id = String(made.body.id);
    const key = await manage(t, 'mint', t.newName(), 'keys', { kind: 'agent', name, agent_id: id }, true);
    for (const verb of ['pause', 'resume', 'pause', t.random.pick(['resume', 'revoke'])]) {
      await manage(t, 'agent-status', id, `agents/${id}/${verb}`, {});
    }
    const keyId = String(key.body.id);
    if (t.random.chance(0.5)) await manage(t, 'revoke-key', keyId, `keys/${keyId}/revoke`, {});
  },
  async function keys(t) {
    const kind = t.random.pick(['secret', 'verify']);
    const { body } = await manage(t, 'mint', t.newName(), 'keys', { kind, name: t.newName() }, true);
    const id = String(body.id);
    if (t.random.chance(0.5)) await manage(t, 'revoke-key', id, `keys/${id}/revoke`, {});
  },
  async function people(t) {
    const email = `${t.newName()}@example.org`;
    const { body } = await manage(t, 'member', email, 'members', { email, role: 'viewer' }, true);
    const path = t.projectPath(`members/${String(body.id)}`);
    const key = t.cast.secretKey;
    await t.tell('member', email, { method: 'PATCH', path, key, body: { role: 'approver' } });
    const group = t.projectPath(`groups/${t.newName()}`);
    await t.tell('group', group, {
      method: 'PUT',
      path: group,
      key,
      body: { members: [email, 'ann@example.org'] },
    });
    await t.tell('group', group, { method: 'PUT', path: group, key, body: { members: ['ben@example.org'] } });
    if (t.random.chance(0.5)) await t.tell('member', email, { method: 'DELETE', path, key }, [200, 204]);
  },
  async function head(t) {
    const path = t.projectPath('audit/verify');
    await t.tell('head', 'head', { method: 'GET', path, key: t.cast.secretKey });
  },
];

/** Stops the other project and starts it again, with a request after each step. */
export async function stopAndStart(t: Storyteller): Promise<void> {
  const { projectId: id, secretKey: key } = t.cast.other;
  for (const verb of ['stop', 'start']) {
    await t.tell('switch', id, { method: 'POST', path: `/v1/projects/${id}/${verb}`, key, body: {} });
    const ask = {
      method: 'POST' as const,
      path: '/v1/intents',
      key,
      body: { action: 'a', params: { n: t.newName() } },
    };
    const answer = await t.client.ask(ask);
    // An earlier stop or start without an answer may be carried out only now.
    if (t.chronicle.isUnsettled('switch')) continue;
    if (answer && answer.status !== 503 && answer.status !== (verb === 'stop' ? 403 : 201))
      t.chronicle.surprises.push(`creating after ${verb} answered ${answer.status}`);
  }
}

function manage(
  t: Storyteller,
  kind: DeedKind,
  subject: string,
  path: string,
  body: object,
  creates = false,
): Promise<Answer> {
  return t.tell(kind, subject, {
    method: 'POST',
    path: t.projectPath(path),
    key: t.cast.secretKey,
    body,
    ...(creates ? t.perhapsRepeatable() : {}),
  });
}
