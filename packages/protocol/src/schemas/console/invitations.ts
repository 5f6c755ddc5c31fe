/** Answers of the dashboard's own routes about a project's invitations. */
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
  /** The link to hand over, shown only this once. Null: the gate sent it by mail. */
  link: Nullable(Type.String()),
});

export const ProjectInvitations = StrictObject({
  data: Type.Array(ProjectInvitation),
  next_cursor: Nullable(Type.String()),
  /** Whether the gate sends invitations by mail. Otherwise the inviting person hands over a link. */
  by_mail: Type.Boolean(),
});
