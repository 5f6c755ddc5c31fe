import type { JsonObject } from '@permitry/protocol';
import { RevokedB, RevokePermitB, ValidateB, Verification } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Caller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { type RevocationRequest, revokePermit } from '../../gate/permits/revoke.ts';
import { verifyPermit } from '../../gate/permits/verify.ts';
import type { GateParts } from '../../open-gate.ts';
import { getCaller } from '../admission/request-context.ts';
import { REPEAT_USE } from '../once/repeatable.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toPermitVerification, type WireVerification } from '../wire/to-verification.ts';

const TAGS = ['Surface B: permits'];

export function permitRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/permits/validate',
    {
      schema: {
        operationId: 'validatePermit',
        summary: 'Validate a permit token',
        description:
          'With `consume: true` it is the one use; repeat a lost answer under the same `Idempotency-Key`. With `idempotency-replayed: true` the answer tells of that first use, after the permit’s end too: do not run it a second time. Every answer but 200 with `authorizes: true` means: do not run.',
        tags: TAGS,
        body: ValidateB,
        response: { 200: Verification },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (body.consume !== true) return validate(gate, getCaller(request), body);
      return once.answer(request, reply, {
        ...REPEAT_USE,
        act: async (gate, caller) => ({ status: 200, body: { ...(await validate(gate, caller, body)) } }),
      });
    },
  );

  app.post(
    '/permits/revoke',
    {
      schema: {
        operationId: 'revokePermit',
        summary: 'Take an approval back',
        description:
          'Every permit of the intent is refused from now on, and its receipt reads `revoked`. Name the intent or one of its permits.',
        tags: TAGS,
        body: RevokePermitB,
        response: { 200: RevokedB },
      },
    },
    async (request) => {
      const { intent, revokedAt } = await revokePermit(gate, getCaller(request), toRevocation(request.body));
      return { intent_id: intent.id, revocation_status: 'revoked' as const, revoked_at: revokedAt };
    },
  );
}

async function validate(
  gate: GateParts,
  caller: Caller,
  { token, action, params, consume = false }: Static<typeof ValidateB>,
): Promise<WireVerification> {
  return toPermitVerification(
    await verifyPermit(gate, caller, {
      token,
      ...(action === undefined ? {} : { action }),
      ...(params === undefined ? {} : { params: params as JsonObject }),
      consume,
    }),
  );
}

function toRevocation({
  intent_id: intentId,
  token,
  reason,
}: Static<typeof RevokePermitB>): RevocationRequest {
  const why = reason === undefined ? {} : { reason };
  if (intentId !== undefined && token === undefined) return { target: { intentId }, ...why };
  if (token !== undefined && intentId === undefined) return { target: { token }, ...why };
  throw new GateError('invalid_fields', 'Name what to revoke: either intent_id or token.', {
    fields: [{ path: '/intent_id', message: 'either this or token is required, not both' }],
  });
}
