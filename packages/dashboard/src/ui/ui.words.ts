/** Texts of the components. */

export const justNow = 'just now';
export const inAMoment = 'in a moment';
export const expired = 'expired';
export const fiveMinutesLeft = 'Five minutes left to decide.';
export const oneMinuteLeft = 'One minute left to decide.';
export const fifteenSecondsLeft = 'Fifteen seconds left to decide.';
export const timeIsOver = 'The time to decide is over.';
