/** Creates one thing of each kind that a path can name, in one project. */
import { NOBODYS } from '../tables/nobodys-things.ts';
import type { PathParts } from '../tables/path-parts.ts';
import { expectDone, idOf } from './expect.ts';
import type { Stage } from './stage.ts';

/**
 * Creates what the project's credentials allow. All other kinds keep IDs that name nothing. The run cleans up
 * everything.
 */
export async function makeThings(stage: Stage): Promise<PathParts> {
  const own = { ...NOBODYS, project: stage.projectId, intent: await stage.newIntent() };
  if (!stage.canManage) return own;
  const agent = (await stage.newAgent()).id;
  const key = (await stage.newKey({ kind: 'verify' })).id;
  const user = (await stage.newMember('viewer')).id;
  const group = stage.name('group');
  const made = async (path: string, body: object) => {
    const id = idOf(expectDone(await stage.manage('POST', path, body), `POST ${path}`));
    stage.takeBack(() => stage.manage('DELETE', `${path}/${id}`));
    return id;
  };
  expectDone(await stage.manage('POST', '/groups', { name: group, members: [] }), 'making a group');
  stage.takeBack(() => stage.manage('DELETE', `/groups/${group}`));
  const url = `https://${stage.name('hook')}.invalid/hook`;
  const webhook = await made('/webhooks', { url, event_types: ['key.revoked'] });
  // If the gate is not in this process, it would look up these hosts and wait.
  if (!stage.inside) return { ...own, agent, key, user, group, webhook };
  const sent = await stage.call('POST', `${stage.root}/webhooks/${webhook}/test`, { key: stage.observer });
  const proposal = await makeProposal(stage);
  const upstream = await made('/upstreams', { name: stage.name('srv'), url: 'https://tools.example.com/x' });
  return {
    ...own,
    agent,
    key,
    user,
    group,
    webhook,
    delivery: idOf(expectDone(sent, 'a delivery')),
    proposal,
    upstream,
  };
}

/** Only people propose policy changes. A secret key manages a test project, so such a project has no proposal. */
async function makeProposal(stage: Stage): Promise<string> {
  if (stage.mode === 'test') return NOBODYS.proposal;
  const { body } = await stage.manage('GET', '/policies');
  const policy = { ...(body.policy as object), name: stage.name('proposed') };
  const proposed = await stage.manage('POST', '/policies/proposals', { policy });
  const proposal = idOf(expectDone(proposed, 'proposing a policy'));
  stage.takeBack(() => stage.manage('POST', `/policies/proposals/${proposal}/withdraw`, {}));
  return proposal;
}
