/** Answers of the dashboard's own routes about sessions. */
import Type from 'typebox';
import { PROJECT_MODES, ROLES } from '../../vocabulary.ts';
import { Nullable, StrictObject } from '../forms.ts';

const SignInMethods = Type.Array(Type.String());

export const CurrentSession = Type.Union([
  StrictObject({
    signed_in: Type.Literal(false),
    set_up_needed: Type.Boolean({ description: 'Nobody can sign in to this gate yet.' }),
    sends_mail: Type.Boolean({ description: 'Whether the gate can mail a link for a new password.' }),
    oidc: Type.Array(StrictObject({ id: Type.String(), name: Type.String() })),
  }),
  StrictObject({
    signed_in: Type.Literal(true),
    user: StrictObject({
      id: Type.String(),
      email: Type.String(),
      name: Nullable(Type.String()),
    }),
    memberships: Type.Array(
      StrictObject({
        project_id: Type.String(),
        project_name: Type.String(),
        mode: Type.Enum([...PROJECT_MODES]),
        role: Type.Enum([...ROLES]),
      }),
    ),
    methods: SignInMethods,
    signed_in_at: Type.String(),
    expires_at: Type.String(),
  }),
]);

export const SessionList = StrictObject({
  data: Type.Array(
    StrictObject({
      id: Type.String(),
      current: Type.Boolean(),
      created_at: Type.String(),
      last_seen_at: Type.String(),
      expires_at: Type.String(),
      address: Nullable(Type.String()),
      user_agent: Nullable(Type.String()),
      methods: SignInMethods,
    }),
  ),
});
