/** Answers of the dashboard's own routes about signing in, and about the links that lead there. */
import Type from 'typebox';
import { PROJECT_MODES, ROLES } from '../../vocabulary.ts';
import { StrictObject } from '../forms.ts';
import { PasskeyAnswer } from './passkeys.ts';

const Email = Type.String({ minLength: 1, maxLength: 254 });
/** A password that is too short is refused with a reason. An absurdly long one is refused before anything reads it. */
const PasswordText = Type.String({ minLength: 1, maxLength: 1000 });
const PersonName = Type.String({ minLength: 1, maxLength: 200 });
const Token = Type.String({ minLength: 1, maxLength: 100 });

export const SignedIn = StrictObject({ status: Type.Literal('signed_in') });

export const SignInRequest = StrictObject({ email: Email, password: PasswordText });

export const SignInAnswer = Type.Union([
  SignedIn,
  StrictObject({
    status: Type.Literal('second_factor'),
    ticket: Type.String({ description: 'Valid for five minutes, five tries and one sign-in.' }),
    methods: Type.Array(Type.Enum(['totp', 'recovery_code'])),
  }),
]);

export const SecondFactorRequest = StrictObject({
  ticket: Token,
  code: Type.String({ minLength: 1, maxLength: 64, description: 'Six digits, or a recovery code.' }),
});

/** Confirms with the password, or with a signature by a passkey. */
export const ConfirmPresence = Type.Union([StrictObject({ password: PasswordText }), PasskeyAnswer]);
export const Confirmed = StrictObject({ status: Type.Literal('confirmed') });

export const LinkToken = StrictObject({ token: Token });

export const SetUpPreview = StrictObject({ email: Type.String() });
export const SetUpRequest = StrictObject({
  token: Token,
  email: Email,
  name: PersonName,
  password: PasswordText,
});

export const InvitationPreview = StrictObject({
  project_name: Type.String(),
  mode: Type.Enum([...PROJECT_MODES]),
  role: Type.Enum([...ROLES]),
  email: Type.String(),
  has_account: Type.Boolean(),
  invited_by: Type.String(),
});
export const AcceptInvitation = StrictObject({
  token: Token,
  name: Type.Optional(PersonName),
  password: Type.Optional(PasswordText),
});

export const PasswordResetRequest = StrictObject({ email: Email });
export const PasswordResetSent = StrictObject({ status: Type.Literal('sent') });
export const PasswordResetFinish = StrictObject({ token: Token, password: PasswordText });
export const PasswordChanged = StrictObject({ status: Type.Literal('changed') });
