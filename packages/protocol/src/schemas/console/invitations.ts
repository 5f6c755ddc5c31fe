/** What the dashboard's own routes say of a project's invitations. */
import Type from 'typebox';
import { ROLES } from '../../vocabulary.ts';
import { Nullable, StrictObject } from '../forms.ts';

export const InvitePerson = StrictObject({
  email: Type.String({ minLength: 3, maxLength: 254 }),
  role: Type.Enum([...ROLES]),
});

const INVITATION = {
  id: Type.String(),
  email: Type.String(),
  role: Type.Enum([...ROLES]),
  status: Type.Enum(['open', 'accepted', 'revoked', 'expired']),
  invited_by: Type.String(),
  created_at: Type.String(),
  expires_at: Type.String(),
};

export const ProjectInvitation = StrictObject(INVITATION);

export const SentProjectInvitation = StrictObject({
  ...INVITATION,
  /** To hand over, shown this once; null: it went by mail. */
  link: Nullable(Type.String()),
});

export const ProjectInvitations = StrictObject({
  data: Type.Array(ProjectInvitation),
  next_cursor: Nullable(Type.String()),
  /** Whether the gate sends them; otherwise whoever invites hands a link over. */
  by_mail: Type.Boolean(),
});
