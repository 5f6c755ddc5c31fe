import { LinkToken, SetUpPreview, SetUpRequest, SignedIn } from '@permitry/protocol/schemas';
import { finishSetUp, previewSetUp } from '../../people/set-up/finish-set-up.ts';
import type { GateApp } from '../routes/surface.ts';
import { answerSignedIn } from './answer-signed-in.ts';
import { browserOf } from './browser-of.ts';
import type { ConsoleTools } from './console-tools.ts';

/** Tokens of links come in bodies: a path or a query would end up in logs and Referer headers. */
export function setUpRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.post(
    '/set-up/look',
    { schema: { body: LinkToken, response: { 200: SetUpPreview } } },
    async (request) => previewSetUp(gate, request.body),
  );

  app.post(
    '/set-up',
    { schema: { body: SetUpRequest, response: { 200: SignedIn } } },
    async (request, reply) =>
      answerSignedIn(reply, await finishSetUp(gate, request.body, await browserOf(gate, request))),
  );
}
