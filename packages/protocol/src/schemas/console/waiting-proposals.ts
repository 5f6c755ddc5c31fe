/** Policy changes that wait for the caller's approval as the second person. */
import Type from 'typebox';
import { StrictObject } from '../forms.ts';

export const WaitingProposals = StrictObject({
  data: Type.Array(
    StrictObject({
      id: Type.String(),
      project_id: Type.String(),
      change: Type.Enum(['policy', 'second_person_off', 'agent']),
      created_at: Type.String(),
    }),
  ),
});
