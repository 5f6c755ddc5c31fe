import type { JsonObject } from '@permitry/protocol';
import { ProofA, StartedProofA, SubmittedProofA } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import {
  type ProofRequest,
  readStartedProof,
  type StartedProof,
  startProof,
} from '../../gate/intents/start-proof.ts';
import { type SubmittedProof, submitProof } from '../../gate/intents/submit-proof.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { getCaller } from '../admission/request-context.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

type Body = Static<typeof ProofA>;

const START = ['intent_id', 'decision', 'method'] as const;

export function proofRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/verify/proof',
    {
      schema: {
        operationId: 'proveA',
        summary: 'Prove that the person decides',
        description:
          'For a person: signed in, or, with the method `device`, with their access token that may decide. With `intent_id`, `decision` and `method` it opens a proof session of five minutes and returns the challenge to sign. With `proof_session_id` and `signals` it accepts the signature, with five tries. A completed session is valid for one decision, which names it as `proof_session_id`. A session by a device key only works with the session or token that opened it.',
        tags: ['Surface A: intents'],
        body: ProofA,
        response: { 201: StartedProofA, 200: SubmittedProofA },
      },
    },
    async (request, reply) => {
      const { body } = request;
      if (body.proof_session_id === undefined && body.signals === undefined) {
        const asked = readStart(body);
        return once.answer(request, reply, {
          act: (caller, remember) => startProof(gate, caller, asked, remember),
          toAnswer: (started) => ({ status: 201, body: toWireStarted(started) }),
          // Nothing about the intent or people is stored here, so erasing them at their own place is enough.
          strip: withoutOptions,
          restore: async ({ proof_session: kept }, caller) =>
            toWireStarted(await readStartedProof(gate, caller, String((kept as JsonObject).id))),
        });
      }
      return toWireSubmitted(await submitProof(gate, getCaller(request), readSignals(body)));
    },
  );
}

function withoutOptions({ proof_session: started }: JsonObject): JsonObject {
  const { options: _, ...kept } = started as JsonObject;
  return { proof_session: kept };
}

function readStart(body: Body): ProofRequest {
  const { intent_id: intentId, decision, method } = body;
  if (intentId === undefined || decision === undefined || method === undefined) {
    throw missing(START.filter((name) => body[name] === undefined));
  }
  return { intentId, decision, method };
}

function readSignals(body: Body): { proofSessionId: string; signals: JsonObject } {
  const { proof_session_id: proofSessionId, signals } = body;
  const beside = START.filter((name) => body[name] !== undefined);
  if (beside.length > 0) {
    throw invalidFields(
      ...beside.map((name) => ({
        path: `/${name}`,
        message: 'cannot be combined with proof_session_id or signals',
      })),
    );
  }
  if (proofSessionId === undefined) throw missing(['proof_session_id']);
  if (signals === undefined) throw missing(['signals']);
  return { proofSessionId, signals };
}

function missing(names: readonly string[]): GateError<'missing_fields'> {
  return new GateError('missing_fields', `Required: ${names.join(', ')}.`, {
    fields: names.map((name) => ({ path: `/${name}`, message: 'is required' })),
  });
}

function toWireStarted({ session, challenge, options }: StartedProof): Static<typeof StartedProofA> {
  const { id, method, expiresAt } = session;
  return { proof_session: { id, status: 'pending', method, challenge, options, expires_at: expiresAt } };
}

function toWireSubmitted({
  session,
  status,
  proofTier,
  triesLeft,
}: SubmittedProof): Static<typeof SubmittedProofA> {
  return { proof_session: { id: session.id, status, proof_tier: proofTier, tries_left: triesLeft } };
}
