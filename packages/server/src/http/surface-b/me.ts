import { EmptyBody, MeSchema, RevokedMeSchema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { GateError } from '../../gate/kernel/errors.ts';
import { type CallerDescription, describeCaller } from '../../gate/projects/describe-caller.ts';
import { revokeUserToken } from '../../people/keys/user-token.ts';
import { getCaller } from '../admission/request-context.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

export function meRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/me',
    {
      schema: {
        operationId: 'readMe',
        summary: 'Describe the credential of this request',
        description:
          'Says which person or agent it belongs to, in which projects it is valid, and until when.',
        tags: ['Surface B: project'],
        response: { 200: MeSchema },
      },
    },
    async (request) => {
      const caller = getCaller(request);
      if (caller.kind === 'operator') throw new Error('The operator does not come through HTTP.');
      return toWireMe(await describeCaller(gate, caller));
    },
  );

  app.post(
    '/me/revoke',
    {
      schema: {
        operationId: 'revokeMe',
        summary: 'Revoke the access token of this request',
        description: 'For signing out. To revoke a key of a project, use the routes for keys.',
        tags: ['Surface B: project'],
        body: EmptyBody,
        response: { 200: RevokedMeSchema },
      },
    },
    async (request) => {
      const caller = getCaller(request);
      if (caller.kind !== 'user') {
        throw new GateError('forbidden', 'Only an access token can revoke itself.', {
          required: 'user_token',
        });
      }
      const token = await revokeUserToken(gate, caller, { keyId: caller.credentialId });
      return { credential_id: token.id, revoked_at: token.revokedAt ?? gate.clock.now() };
    },
  );
}

function toWireMe(me: CallerDescription): Static<typeof MeSchema> {
  return {
    kind: me.kind,
    credential_id: me.credentialId,
    name: me.name,
    user_id: me.user?.id ?? null,
    email: me.user?.email ?? null,
    agent: me.agent && { id: me.agent.id, name: me.agent.name },
    rights: [...me.rights],
    expires_at: me.expiresAt,
    projects: me.projects.map(({ id, name, mode, role }) => ({ id, name, mode, role })),
  };
}
