import { EmptyBody, ProjectSchema, PublicKeySchema, StoppedSchema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { assertScope } from '../../gate/access/assert-scope.ts';
import type { Project } from '../../gate/projects/project.ts';
import { getProject } from '../../gate/projects/read-project.ts';
import { startProject, stopProject } from '../../gate/projects/stop-switch.ts';
import { getCaller } from '../admission/request-context.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toPublicKeyPem } from '../wire/public-key-pem.ts';

const TAGS = ['Surface B: project'];

export function projectRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id',
    {
      schema: {
        operationId: 'readProject',
        summary: 'Read a project',
        tags: TAGS,
        params: ItemPath,
        response: { 200: ProjectSchema },
      },
    },
    async (request) =>
      toWireProject(await getProject(gate, getCaller(request), { projectId: request.params.id })),
  );

  app.get(
    '/projects/:id/public-key',
    {
      schema: {
        operationId: 'readPublicKey',
        summary: 'Read the current public signing key',
        description:
          'Offline verifiers fetch all current keys from the JWK Set at `jwks_url` and cache them.',
        tags: TAGS,
        params: ItemPath,
        response: { 200: PublicKeySchema },
      },
    },
    async (request) => {
      assertScope(getCaller(request), 'project:read', request.params.id);
      const { kid, alg } = gate.tokens.signer.current;
      const jwk = gate.tokens.signer.publicKey(kid);
      if (!jwk) throw new Error('the key that signs is not published');
      return {
        kid,
        alg,
        public_key_pem: toPublicKeyPem(jwk),
        public_key_jwk: { ...jwk },
        jwks_url: `${gate.issuer}/.well-known/jwks.json`,
      };
    },
  );

  for (const [verb, act, summary, description] of [
    [
      'stop',
      stopProject,
      'Stop the project: nothing can be created, verified or consumed',
      'Programs with the right to manage do this in live mode too.',
    ],
    [
      'start',
      startProject,
      'Start the project again; paused agents stay paused',
      'In live mode this needs a person who is present in a browser, or the operator.',
    ],
  ] as const) {
    app.post(
      `/projects/:id/${verb}`,
      {
        schema: {
          operationId: `${verb}Project`,
          summary,
          description,
          tags: TAGS,
          params: ItemPath,
          body: EmptyBody,
          response: { 200: StoppedSchema },
        },
      },
      async (request) => {
        const project = await act(gate, getCaller(request), { projectId: request.params.id });
        return { stopped: project.stoppedAt !== null, stopped_at: project.stoppedAt };
      },
    );
  }
}

function toWireProject(project: Project): Static<typeof ProjectSchema> {
  return {
    id: project.id,
    name: project.name,
    mode: project.mode,
    stopped: project.stoppedAt !== null,
    stopped_at: project.stoppedAt,
    policy_second_person: project.policySecondPerson,
    created_at: project.createdAt,
  };
}
