import type { Reach } from '../../gate/kernel/reach.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Outgoing } from '../outgoing.ts';

/** The part of mail and outgoing connections that the gate's operations may use. */
export function openReach(mailer: Pick<Mailer, 'configured'>, outgoing: Outgoing): Reach {
  return {
    mail: mailer.configured,
    findTargetProblem: (url) => outgoing.findProblem(url),
    makePushKeys: async () => (await import('../push/push-message.ts')).makePushKeys(),
  };
}
