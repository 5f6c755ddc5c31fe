import type { JsonObject } from '@permitry/protocol';
import { Verification, VerifyA } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Caller } from '../../gate/access/caller.ts';
import { type FieldProblem, GateError } from '../../gate/kernel/errors.ts';
import { type VerifyRequest, verifyPermit } from '../../gate/permits/verify.ts';
import { verifyReceipt } from '../../gate/receipts/verify-receipt.ts';
import type { GateParts } from '../../open-gate.ts';
import { getCaller } from '../admission/request-context.ts';
import { repeatUse } from '../once/repeatable.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import {
  toPermitVerification,
  toReceiptVerification,
  type WireVerification,
} from '../wire/to-verification.ts';

type Body = Static<typeof VerifyA>;

export function permitRoutes(app: GateApp, { gate, once }: RouteTools): void {
  const repeated = repeatUse(gate);
  app.post(
    '/intents/permit/verify',
    {
      schema: {
        operationId: 'verifyPermitA',
        summary: 'Verify an execution permit before the action runs',
        description:
          'With `consume: true` it uses the permit; repeat a lost answer under the same `Idempotency-Key`. With `idempotency-replayed: true` the answer is about that first use, even after the permit’s expiry: do not run it a second time. Every answer except 200 with `authorizes: true` means: do not run.',
        tags: ['Surface A: permits'],
        body: VerifyA,
        response: { 200: Verification },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (body.consume !== true) return verify(gate, getCaller(request), body);
      return once.answer(request, reply, {
        ...repeated,
        act: async (caller, remember) => verifyPermit(gate, caller, toUse(body), remember),
        toAnswer: (used) => ({ status: 200, body: { ...toPermitVerification(used) } }),
      });
    },
  );
}

async function verify(gate: GateParts, caller: Caller, body: Body): Promise<WireVerification> {
  const { permit_token: token, receipt } = body;
  const request = boundBy(body);
  if (token !== undefined && receipt === undefined)
    return toPermitVerification(await verifyPermit(gate, caller, { token, ...request, consume: false }));
  if (receipt !== undefined && token === undefined) {
    return toReceiptVerification(
      await verifyReceipt(gate, caller, { receipt: receipt as string | JsonObject, ...request }),
    );
  }
  throw whatToVerify(body);
}

function toUse(body: Body): VerifyRequest {
  const { permit_token: token, receipt } = body;
  if (token === undefined || receipt !== undefined) throw whatToVerify(body);
  assertNamesUse(body);
  return { token, ...boundBy(body), consume: true };
}

function boundBy({ action, context }: Body): Pick<VerifyRequest, 'action' | 'params'> {
  return {
    ...(action === undefined ? {} : { action }),
    ...(context === undefined ? {} : { params: context as JsonObject }),
  };
}

/** The same check as in the operation, with this surface's name for parameters: context. */
function assertNamesUse(body: Body): void {
  const fields = (['action', 'context'] as const)
    .filter((name) => body[name] === undefined)
    .map((name) => ({ path: `/${name}`, message: 'is required to consume' }));
  if (fields.length > 0)
    throw new GateError('missing_fields', 'Consuming requires the action and its context.', { fields });
}

function whatToVerify(body: Body): GateError {
  if (body.permit_token === undefined && body.receipt === undefined) {
    const fields: FieldProblem[] = [{ path: '/permit_token', message: 'is required (or receipt)' }];
    return new GateError('missing_fields', 'Name what to verify: permit_token, or receipt.', { fields });
  }
  const message =
    body.permit_token === undefined
      ? 'cannot be consumed: a receipt never authorises'
      : 'cannot be combined with permit_token';
  return new GateError('invalid_fields', 'A receipt is verified on its own and never consumed.', {
    fields: [{ path: '/receipt', message }],
  });
}
