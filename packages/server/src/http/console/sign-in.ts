import {
  Confirmed,
  ConfirmPresence,
  SecondFactorRequest,
  SignedIn,
  SignInAnswer,
  SignInRequest,
} from '@permitry/protocol/schemas';
import { confirmWithPasskey } from '../../people/passkeys/confirm-with-passkey.ts';
import { confirmWithPassword } from '../../people/sign-in/confirm-presence.ts';
import { finishSignIn } from '../../people/sign-in/finish-sign-in.ts';
import { signInWithPassword } from '../../people/sign-in/sign-in.ts';
import type { GateApp } from '../routes/surface.ts';
import { answerSignedIn } from './answer-signed-in.ts';
import { browserOf } from './browser-of.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

export function signInRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.post(
    '/sign-in',
    { schema: { body: SignInRequest, response: { 200: SignInAnswer } } },
    async (request, reply) => {
      const outcome = await signInWithPassword(gate, request.body, await browserOf(gate, request));
      if (outcome.status === 'signed_in') return answerSignedIn(reply, outcome.started);
      return { status: outcome.status, ticket: outcome.ticket, methods: [...outcome.methods] };
    },
  );

  app.post(
    '/sign-in/second-factor',
    { schema: { body: SecondFactorRequest, response: { 200: SignedIn } } },
    async (request, reply) =>
      answerSignedIn(reply, await finishSignIn(gate, request.body, await browserOf(gate, request))),
  );

  app.post(
    '/session/confirm',
    { schema: { body: ConfirmPresence, response: { 200: Confirmed } } },
    async (request) => {
      const { body } = request;
      const person = getPerson(request);
      if ('password' in body) await confirmWithPassword(gate, person, { ...body, address: request.ip });
      else await confirmWithPasskey(gate, person, body);
      return { status: 'confirmed' as const };
    },
  );
}
