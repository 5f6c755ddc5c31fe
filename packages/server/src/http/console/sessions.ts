import { CurrentSession, EmptyBody, SessionList, StrictObject } from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { SESSION_LIFETIME_SECONDS } from '../../gate/access/session.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import type { GateParts } from '../../open-gate.ts';
import { endOtherSessions, endOwnSession, endSession } from '../../people/sessions/end-session.ts';
import { listOwnSessions } from '../../people/sessions/list-sessions.ts';
import { isSetUpNeeded } from '../../people/set-up/make-set-up-link.ts';
import { clearSessionCookie } from '../admission/session-cookie.ts';
import { ItemPath, NoContent } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { findPerson } from './find-person.ts';
import { getPerson } from './get-person.ts';

export function sessionRoutes(app: GateApp, { gate, config }: ConsoleTools): void {
  app.get('/session', { schema: { response: { 200: CurrentSession } } }, async (request) => {
    const person = await findPerson(gate, request);
    if (person) return describeSession(gate, person);
    return {
      signed_in: false as const,
      set_up_needed: await isSetUpNeeded(gate.storage.read),
      sends_mail: gate.accountMail.configured,
      oidc: config.oidc.map(({ id, name }) => ({ id, name })),
    };
  });

  app.post(
    '/sign-out',
    { schema: { body: EmptyBody, response: { 204: NoContent } } },
    async (request, reply) => {
      await endOwnSession(gate, getPerson(request));
      clearSessionCookie(reply);
    },
  );

  app.get('/account/sessions', { schema: { response: { 200: SessionList } } }, async (request) => {
    const person = getPerson(request);
    const sessions = await listOwnSessions(gate, person);
    return {
      data: sessions.map((session) => ({
        id: session.id,
        current: session.id === person.credentialId,
        created_at: session.signedInAt,
        last_seen_at: session.lastSeenAt,
        expires_at: session.expiresAt,
        address: session.address,
        user_agent: session.userAgent,
        methods: [...session.methods],
      })),
    };
  });

  app.delete(
    '/account/sessions/:id',
    { schema: { params: ItemPath, response: { 204: NoContent } } },
    (request) => endSession(gate, getPerson(request), { sessionId: request.params.id }),
  );

  app.post(
    '/account/sessions/end-others',
    { schema: { body: EmptyBody, response: { 200: StrictObject({ ended: Type.Integer() }) } } },
    async (request) => ({ ended: await endOtherSessions(gate, getPerson(request)) }),
  );
}

async function describeSession(
  gate: GateParts,
  { user, memberships, methods, signedInAt }: SessionCaller,
): Promise<Static<typeof CurrentSession>> {
  const { read } = gate.storage;
  const known = await read.findUser(user.id);
  const projects = await Promise.all(memberships.map(({ projectId }) => read.findProject(projectId)));
  const names = new Map(projects.flatMap((project) => (project ? [[project.id, project.name]] : [])));
  return {
    signed_in: true,
    user: { id: user.id, email: user.email, name: known?.name ?? null },
    memberships: memberships.map(({ projectId, mode, role }) => ({
      project_id: projectId,
      project_name: names.get(projectId) ?? projectId,
      mode,
      role,
    })),
    methods: [...methods],
    signed_in_at: signedInAt,
    expires_at: addSeconds(signedInAt, SESSION_LIFETIME_SECONDS),
  };
}
