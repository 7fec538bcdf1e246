export { type Ranking, rankServices } from './rank-services.ts';
export { findCases, readCase } from './read-case.ts';
export { type RankScores, scoreCases } from './score-cases.ts';
export type { Series } from './series.ts';
