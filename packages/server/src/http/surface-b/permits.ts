import type { JsonObject } from '@permitry/protocol';
import { RevokedB, RevokePermitB, ValidateB, Verification } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { GateError } from '../../gate/kernel/errors.ts';
import { type RevocationRequest, revokePermit } from '../../gate/permits/revoke.ts';
import { type VerifyRequest, verifyPermit } from '../../gate/permits/verify.ts';
import { getCaller } from '../admission/request-context.ts';
import { repeatUse } from '../once/repeatable.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toPermitVerification } from '../wire/to-verification.ts';

const TAGS = ['Surface B: permits'];

export function permitRoutes(app: GateApp, { gate, once }: RouteTools): void {
  const repeated = repeatUse(gate);
  app.post(
    '/permits/validate',
    {
      schema: {
        operationId: 'validatePermit',
        summary: 'Validate a permit token',
        description:
          '`consume: true` uses the permit up. If the answer is lost, repeat the request with the same `Idempotency-Key`. An answer with `idempotency-replayed: true` reports the first use, even after the permit has expired: do not run the action a second time. Do not run the action on any answer other than 200 with `authorizes: true`.',
        tags: TAGS,
        body: ValidateB,
        response: { 200: Verification },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (body.consume !== true)
        return toPermitVerification(await verifyPermit(gate, getCaller(request), toVerification(body)));
      return once.answer(request, reply, {
        ...repeated,
        act: (caller, remember) => verifyPermit(gate, caller, toVerification(body), remember),
        toAnswer: (used) => ({ status: 200, body: { ...toPermitVerification(used) } }),
      });
    },
  );

  app.post(
    '/permits/revoke',
    {
      schema: {
        operationId: 'revokePermit',
        summary: 'Revoke an approval',
        description:
          'From now on every permit of the intent is refused, and its receipt has the status `revoked`. Name the intent or one of its permits.',
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

function toVerification({ token, action, params, consume = false }: Static<typeof ValidateB>): VerifyRequest {
  return {
    token,
    ...(action === undefined ? {} : { action }),
    ...(params === undefined ? {} : { params: params as JsonObject }),
    consume,
  };
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
