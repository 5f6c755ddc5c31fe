import type { Reach } from '../../gate/kernel/reach.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Outgoing } from '../outgoing.ts';

/** What the gate's operations may know about the ways out. */
export function openReach(mailer: Pick<Mailer, 'configured'>, outgoing: Outgoing): Reach {
  return {
    mail: mailer.configured,
    findTargetProblem: (url) => outgoing.findProblem(url),
    makePushKeys: async () => (await import('../push/push-message.ts')).makePushKeys(),
  };
}
