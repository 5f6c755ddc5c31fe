import type { Reviewer } from '../access/caller.ts';
import type { Vote } from './weigh-vote.ts';

export interface Voter extends Pick<Vote, 'userId' | 'method' | 'byProgram'> {
  /** Email address. */
  by: string;
}

/** The voter and the method of a vote. The voter is the person behind the credential, never a name in a request. */
export function voterOf(caller: Reviewer): Voter {
  switch (caller.kind) {
    case 'secret':
      return { userId: caller.owner.id, by: caller.owner.email, method: 'key', byProgram: true };
    case 'user':
      return { userId: caller.user.id, by: caller.user.email, method: 'token', byProgram: true };
    case 'session':
      return { userId: caller.user.id, by: caller.user.email, method: 'session', byProgram: false };
  }
}
