import type { ApproverKeyFile } from '@permitry/protocol';
import {
  ApproverKeyFileSchema,
  EmptyBody,
  NewPasskey,
  PasskeyAnswer,
  PasskeyOptions,
  PasskeySchema,
  RenamePasskey,
  StrictObject,
} from '@permitry/protocol/schemas';
import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { millisecondsOf } from '../../gate/kernel/clock.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { sayDuration } from '../../gate/kernel/say-duration.ts';
import { addPasskey, startAddingPasskey } from '../../people/passkeys/add-passkey.ts';
import { startConfirming } from '../../people/passkeys/confirm-with-passkey.ts';
import { exportOwnKeys, removePasskey, renamePasskey } from '../../people/passkeys/own-passkeys.ts';
import type { Passkey } from '../../people/passkeys/passkey.ts';
import { signInWithPasskey, startPasskeySignIn } from '../../people/passkeys/sign-in-with-passkey.ts';
import { networkOf } from '../../people/sign-in-tries/network-of.ts';
import { RateLimiter } from '../limits/rate-limit.ts';
import { ItemPath, NoContent } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import { answerSignedIn } from './answer-signed-in.ts';
import { browserOf } from './browser-of.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

const SignedIn = StrictObject({ status: Type.Literal('signed_in') });

/** Each sign-in adds a row, and strangers must not add many. An office behind one address needs some. */
const SIGN_INS_PER_MINUTE = 120;

export function passkeyRoutes(app: GateApp, { gate, config }: ConsoleTools): void {
  const perAddress = new RateLimiter(millisecondsOf(gate.clock));
  const countAddress = (what: 'begun' | 'finished', request: FastifyRequest): void => {
    if (config.rateLimitPerMinute === 0) return;
    const { accepted, resetIn } = perAddress.take(`${what} ${networkOf(request.ip)}`, SIGN_INS_PER_MINUTE);
    if (!accepted) throw tooManySignIns(resetIn);
  };

  app.post(
    '/sign-in/passkey/options',
    { schema: { body: EmptyBody, response: { 200: PasskeyOptions } } },
    async (request) => {
      countAddress('begun', request);
      return startPasskeySignIn(gate);
    },
  );

  app.post(
    '/sign-in/passkey',
    { schema: { body: PasskeyAnswer, response: { 200: SignedIn } } },
    async (request, reply) => {
      countAddress('finished', request);
      const started = await signInWithPasskey(gate, request.body, await browserOf(gate, request));
      return answerSignedIn(reply, started);
    },
  );

  app.post(
    '/session/confirm/options',
    { schema: { body: EmptyBody, response: { 200: PasskeyOptions } } },
    async (request) => startConfirming(gate, getPerson(request)),
  );

  app.post(
    '/account/passkeys/options',
    { schema: { body: EmptyBody, response: { 200: PasskeyOptions } } },
    async (request) => startAddingPasskey(gate, getPerson(request)),
  );

  app.post(
    '/account/passkeys',
    { schema: { body: NewPasskey, response: { 201: PasskeySchema } } },
    async (request) => toWirePasskey(await addPasskey(gate, getPerson(request), request.body)),
  );

  app.patch(
    '/account/passkeys/:id',
    { schema: { params: ItemPath, body: RenamePasskey, response: { 204: NoContent } } },
    (request) =>
      renamePasskey(gate, getPerson(request), { passkeyId: request.params.id, name: request.body.name }),
  );

  app.delete(
    '/account/passkeys/:id',
    { schema: { params: ItemPath, response: { 204: NoContent } } },
    (request) => removePasskey(gate, getPerson(request), { passkeyId: request.params.id }),
  );

  app.get(
    '/account/passkeys/export',
    { schema: { response: { 200: ApproverKeyFileSchema } } },
    async (request, reply) => {
      const file = await exportOwnKeys(gate, getPerson(request));
      reply.header('content-disposition', 'attachment; filename="approver-keys.json"');
      return { version: file.version, approvers: file.approvers.map(copyEntry) };
    },
  );
}

/** A passkey as pages show it. Also part of `GET /console/account`. */
export function toWirePasskey({
  id,
  name,
  createdAt,
  lastUsedAt,
  backedUp,
}: Passkey): Static<typeof PasskeySchema> {
  return { id, name, created_at: createdAt, last_used_at: lastUsedAt, backed_up: backedUp };
}

function copyEntry({ email, keys, device_keys = [] }: ApproverKeyFile['approvers'][number]) {
  return {
    email,
    keys: keys.map((key) => ({ ...key })),
    device_keys: device_keys.map((key) => ({ ...key })),
  };
}

function tooManySignIns(seconds: number): GateError<'rate_limited'> {
  return new GateError('rate_limited', `Too many sign-ins; try again in ${sayDuration(seconds)}.`, {
    retry_after_seconds: seconds,
  });
}
