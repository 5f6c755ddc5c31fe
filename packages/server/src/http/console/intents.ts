import {
  AskAgain,
  AskedAgain,
  AskToExtend,
  ConsoleIntent,
  ExtensionRequested,
} from '@permitry/protocol/schemas';
import { voterOf } from '../../gate/approvals/voter-of.ts';
import { askToExtend } from '../../gate/intents/ask-to-extend.ts';
import { readForPerson } from '../../gate/intents/read-for-person.ts';
import { askAgain } from '../../gate/tools/ask-again.ts';
import { IntentPath } from '../routes/read-intent-route.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';
import { getReviewer } from './get-reviewer.ts';
import { toConsoleIntent } from './to-console-intent.ts';

/** One intent, for its own page. Decisions go to surface A, which is published. */
export function intentRoutes(app: GateApp, { gate, once }: ConsoleTools): void {
  app.get(
    '/intents/:id',
    { schema: { params: IntentPath, response: { 200: ConsoleIntent } } },
    async (request) => {
      const reviewer = getReviewer(request);
      const read = await readForPerson(gate, reviewer, request.params.id);
      return toConsoleIntent(read, voterOf(reviewer).userId);
    },
  );

  app.post(
    '/intents/:id/ask-to-extend',
    { schema: { params: IntentPath, body: AskToExtend, response: { 200: ExtensionRequested } } },
    async (request) => {
      const { comment } = request.body;
      const asked = await askToExtend(gate, getPerson(request), {
        intentId: request.params.id,
        ...(comment === undefined ? {} : { comment }),
      });
      return { ...asked };
    },
  );

  app.post(
    '/intents/:id/ask-again',
    { schema: { params: IntentPath, body: AskAgain, response: { 201: AskedAgain } } },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { expires_in: expiresInSeconds } = request.body;
          const again = {
            intentId: request.params.id,
            ...(expiresInSeconds === undefined ? {} : { expiresInSeconds }),
          };
          return askAgain(gate, caller, again, remember);
        },
        // Policy may decide immediately. The new request's own page shows that decision.
        toAnswer: ({ intent, approvalUrl }) => ({
          status: 201,
          body: { id: intent.id, approval_url: approvalUrl, status: intent.status },
        }),
      }),
  );
}
