/**
 * The functions that a query may call. They depend only on their arguments and the time, and read
 * or write nothing else. None produces much from little (`repeat`, `range` as a list) or takes
 * quadratic time (`levenshtein`), because DuckDB cannot be interrupted inside a call.
 */
const groups = {
  operators: `+ - * / // % ** ^ & | << >> ~ ~~ !~~ ~~* !~~* ~~~ ^@ || ->> -> @> <@ && @ xor
    add subtract multiply divide mod`,
  numbers: `abs ceil ceiling floor round round_even roundbankers trunc sign signbit sqrt cbrt exp
    ln log log2 log10 pow power greatest least isnan isinf isfinite pi radians degrees sin cos tan
    asin acos atan atan2 even fdiv fmod gcd lcm bit_count random hash to_hex hex`,
  texts: `lower upper lcase ucase length len char_length character_length strlen octet_length
    bit_length trim ltrim rtrim left right substr substring split_part split string_split
    str_split string_to_array regexp_matches regexp_full_match regexp_extract regexp_extract_all
    regexp_replace regexp_escape regexp_split_to_array string_split_regex str_split_regex contains
    starts_with ends_with prefix suffix position strpos instr replace translate reverse concat
    concat_ws like_escape not_like_escape ilike_escape not_ilike_escape ascii chr ord unicode md5
    sha256 strip_accents nfc_normalize url_decode url_encode format_bytes
    formatReadableSize formatReadableDecimalSize array_to_string
    array_to_string_comma_default typeof`,
  times: `now ago current_date current_localtimestamp get_current_timestamp transaction_timestamp
    today date_trunc datetrunc date_part datepart date_diff datediff date_sub datesub date_add
    time_bucket strftime strptime try_strptime epoch epoch_ms epoch_us epoch_ns to_timestamp
    make_timestamp make_timestamp_ms make_timestamp_ns make_timestamptz make_date make_time age
    year month day hour minute second millisecond microsecond week weekday dayofweek dayofyear
    dayname monthname isodow quarter last_day timezone to_years to_months to_weeks to_days
    to_hours to_minutes to_seconds to_milliseconds to_microseconds to_quarters normalized_interval`,
  lists: `list_value list_pack list_extract list_element array_extract list_slice array_slice
    array_length cardinality list_contains array_contains list_has list_has_any list_has_all
    array_has array_has_any array_has_all list_position list_indexof list_sort list_reverse_sort
    array_sort list_distinct list_unique list_filter list_transform list_apply list_reduce
    array_filter array_transform list_aggregate list_aggr list_sum list_avg list_min list_max
    list_count list_first list_last list_median list_any_value list_concat list_cat array_concat
    list_append list_prepend list_reverse flatten list_zip list_where list_select unnest
    generate_subscripts row struct_pack struct_extract struct_extract_at struct_insert struct_keys
    struct_values map map_keys map_values map_entries map_extract map_extract_value element_at
    map_contains map_from_entries map_concat list_intersect list_grade_up`,
  json: `json json_extract json_extract_string json_extract_path json_extract_path_text json_value
    json_keys json_type json_valid json_array_length json_exists json_contains json_object
    json_array json_quote json_structure json_pretty to_json array_to_json row_to_json
    json_group_array json_group_object`,
  choices: `coalesce nullif constant_or_null if ifnull error`,
  aggregates: `count count_star count_if countif sum fsum kahan_sum avg favg mean min max median
    mode quantile quantile_cont quantile_disc approx_quantile mad stddev
    stddev_pop stddev_samp variance var_pop var_samp sem skewness kurtosis corr covar_pop
    covar_samp regr_slope regr_intercept regr_r2 regr_count regr_avgx regr_avgy entropy geomean
    product approx_count_distinct any_value arbitrary first last arg_max arg_min
    argmax argmin max_by min_by list array_agg string_agg group_concat listagg bool_and bool_or
    bit_and bit_or bit_xor histogram histogram_exact wavg weighted_avg grouping`,
  windows: `row_number rank dense_rank rank_dense percent_rank cume_dist ntile lag lead first_value
    last_value nth_value fill`,
};

const tableFunctions = 'range generate_series unnest json_each json_tree';

const allowed: ReadonlySet<string> = new Set(Object.values(groups).flatMap(words));
const allowedAsTables: ReadonlySet<string> = new Set(words(tableFunctions));

export const functionNames: readonly string[] = [...allowed, ...allowedAsTables];

export function isAllowedFunction(name: string): boolean {
  return allowed.has(name.toLowerCase()) || allowed.has(name);
}

export function isAllowedTableFunction(name: string): boolean {
  return allowedAsTables.has(name.toLowerCase());
}

function words(text: string): readonly string[] {
  return text.split(/\s+/).filter(Boolean);
}
