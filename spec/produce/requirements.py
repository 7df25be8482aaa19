"""The published requirement sets about produce."""

FROZEN = {
    "produce-4.0@1": "75d7b602c24e10829e8df25666b4841347fa897fd9ef816b4f6cce4202a6f239",
    "produce-4.1@1": "98ff8cee550503da5edf51eada2541e664f148d9a8964bee8d2f425bdbb03df9",
    "produce-4.2@1": "2d1b8a05e11d4cceb26dac579e74a3a894aaa295565fcf6f6a8ab14bed8caafc",
    "produce-4.3@1": "f00fc6ef53387a11ada39773e322322a13d25b61f00bc914023e0b857e17e874",
    "produce-4.4@1": "fffa80826088131684137f75a651b4917b68507c740e9ee920f074ccfbd01a24",
    "produce-4.0@2": "ae2c14d85faef86f8ec52dfc0880ad66ee17fe6a16ca51859c5fd3c232996d47",
    "produce-4.1@2": "b04b1fe5fe3bbcac7c7b8735091290988cff35e566a66785f523a0a21adffdd2",
    "produce-4.2@2": "9cb15fa59a17ddfac92d81317836527ca1d7f872ccd1e344d04aa1e24460dde5",
    "produce-4.3@2": "e3e091244700d1aa1c2888c75a40e6525dba02408fe77a79620739d5b7c58b02",
    "produce-4.4@2": "5928dc010cd2a820ae74795172f7f90d09664581f4f41b7ab6909b10cd76eda3",
    "produce-4.0@3": "52b0928d843bf395ea6928b3982340f012a00433fde15ab06bf80f405c91188d",
    "produce-4.1@3": "f5b4b3cc254a69599ab6abe10fc7a330a6439a7bfe6ec3baf04aed3c45dbbf85",
    "produce-4.2@3": "de3bdbbd40f4c4ebacbc75523da202a1d8a5f50ea81929382b8f416ded1388d3",
    "produce-4.3@3": "68ca257100c5a552382e847cd3b0ea8507221301143fe7e832f660c409d39223",
    "produce-4.4@3": "7e386d5626dc78585ea833bca775449d13c86f4cb557c6d24312b148c1236557",
    "produce-4.0@4": "574354889267304e7c66da67d2c917a4398be584f4d606d9f9eedf1f6affa6a4",
    "produce-4.1@4": "0f283636296a46c914e745fcc80ed11c01370e5cfa35cf3bdea88ae112200ec6",
    "produce-4.2@4": "aa24fed7c7387266b1a455cfe32569167164a5267e2b8bf09efccbdc0908fdaf",
    "produce-4.3@4": "9c0ab603b410b26d03fa88445e1957c1e02f0451d50a8e230ecfcdf7cbb27812",
    "produce-4.4@4": "8e122d211aa2797b7b7a099d51c2777ca74172711941f3ffc24b19bbf3b79da5",
    "produce-4.0@5": "75174a47df16e46d4115a85fc80c2c64bd19c0120e3c88549fa1ad70bde9424a",
    "produce-4.1@5": "ae2eca9462062ac44284cb1ce046bb80491161b163104d1cd249afa4645f1989",
    "produce-4.2@5": "4d14b938547ab0cdd3331f4d2a10fa7cdfc542d55824408e5f8674199484d5ac",
    "produce-4.3@5": "ab980338cae904371afbe99be380d5af76970739085a6718a8391bc55bff0f7a",
    "produce-4.4@5": "5ddc55ba2490c8e237780eee31fe0f928618b822ebf17f943be7e88039427ba3",
    "produce-4.0@6": "4ae84c7e45f01c8c6c853633d6325d747386ac6fe107859e2b0bd4b5e43b61d2",
    "produce-4.1@6": "be8fd3192314c3d7b9dacdf2403d5afe7828bae2995d943298c9c2c2edd68d7b",
    "produce-4.2@6": "cec9568e7e1208531d2cd42a63f2da6c0d8f6172eaadacbd690531bb261adb9c",
    "produce-4.3@6": "05eca14b7c0cdc7ac1aa4e1864fa01ce33e70fbf8f7002ff9c50f70747e7f2ae",
    "produce-4.4@6": "043a9f906142dea875bce4ee13b3e3d393c67eb9b67993a49b4040d1c3c08303",
}
"""The digest of each set by its name. A line is never changed or taken away: a set that has other
clauses gets a line with the next revision, which its test prints.
"""
