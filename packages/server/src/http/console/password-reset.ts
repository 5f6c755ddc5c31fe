import {
  PasswordChanged,
  PasswordResetFinish,
  PasswordResetRequest,
  PasswordResetSent,
} from '@permitry/protocol/schemas';
import { finishPasswordReset, requestPasswordReset } from '../../people/recovery/password-reset.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';

export function passwordResetRoutes(app: GateApp, { gate, logger }: ConsoleTools): void {
  app.post(
    '/password-reset',
    { schema: { body: PasswordResetRequest, response: { 202: PasswordResetSent } } },
    async (request) => {
      const asked = { email: request.body.email, address: request.ip };
      // Runs after the answer, so that neither its content nor its timing reveals whether the address is known.
      setImmediate(() => {
        requestPasswordReset(gate, asked).catch((error: unknown) => {
          logger.warn({ err: error, request_id: request.id }, 'a password reset could not be sent');
        });
      });
      return { status: 'sent' as const };
    },
  );

  app.post(
    '/password-reset/finish',
    { schema: { body: PasswordResetFinish, response: { 200: PasswordChanged } } },
    async (request) => {
      await finishPasswordReset(gate, request.body);
      return { status: 'changed' as const };
    },
  );
}
